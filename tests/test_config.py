"""Settings: precedence of sources, completeness of the list of settings, and error messages."""

from dataclasses import fields

import pytest

import keepsaid
from keepsaid.config import SETTINGS, Settings, load, origins
from keepsaid.errors import ConfigError


def test_arguments_override_environment_file_and_defaults(tmp_path):
    file = tmp_path / "keepsaid.toml"
    file.write_text("sessions_limit = 1\nretention_batch = 2\ndurable = false\n[retention]\nactive_days = 3\n")
    environment = {"KEEPSAID_RETENTION_BATCH": "20", "KEEPSAID_SESSIONS_LIMIT": "10"}
    settings = load({"sessions_limit": 100}, environment, file)
    assert (settings.sessions_limit, settings.retention_batch) == (100, 20)
    assert (settings.durable, settings.retention_active_days, settings.retention_deleted_days) == (False, 3.0, 30.0)


def days(settings):
    return settings.retention_active_days, settings.retention_archived_days, settings.retention_deleted_days


def test_sessions_do_not_expire_by_default():
    settings = load({}, {})
    assert days(settings) == (None, None, 30.0)
    assert (settings.retention_preset, settings.retention_policy.keep_facts) == ("off", True)
    assert not load({"retention_facts": "purge"}, {}).retention_policy.keep_facts


def test_retention_preset_sets_three_settings(tmp_path):
    assert days(load({"retention_preset": "30/90/30"}, {})) == (30.0, 90.0, 30.0)
    file = tmp_path / "keepsaid.toml"
    file.write_text('[retention]\npreset = "30/90/30"\narchived_days = "off"\n')
    assert days(load({}, {}, file)) == (30.0, None, 30.0)
    assert days(load({}, {"KEEPSAID_RETENTION_ACTIVE_DAYS": "7"}, file)) == (7.0, None, 30.0)
    # A preset wins over single settings from farther away.
    assert days(load({"retention_preset": "off"}, {"KEEPSAID_RETENTION_ACTIVE_DAYS": "7"}, file)) == (None, None, 30.0)
    where = {origin.name: origin.where for origin in origins({}, {"KEEPSAID_RETENTION_PRESET": "30/90/30"})}
    assert where["retention_archived_days"] == "KEEPSAID_RETENTION_PRESET"
    with pytest.raises(ConfigError, match="must be one of off, 30/90/30"):
        load({"retention_preset": "1/2/3"}, {})
    (tmp_path / "a.yaml").write_text("retention_preset: off\n")
    assert days(load({}, {}, tmp_path / "a.yaml")) == (None, None, 30.0)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.toml", "[retention]\narchived_days = 'off'\n"),
        ("a.yaml", "retention:\n  archived_days: off\n"),
        ("a.yml", "retention_archived_days: never\n"),
        ("a.json", '{"retention": {"archived_days": null}}'),
    ],
)
def test_settings_load_from_toml_yaml_and_json(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    settings = load({}, {"KEEPSAID_CONFIG": str(tmp_path / name)})
    assert settings.retention_archived_days is None


def test_knobs_and_settings_have_the_same_names():
    assert [setting.name for setting in SETTINGS] == [field.name for field in fields(Settings)]
    for setting in SETTINGS:
        assert setting.help
        assert setting.variable == f"KEEPSAID_{setting.name.upper()}"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"colour": "blue"}, "no setting 'colour'"),
        ({"sessions_limit": 0}, "at least 1"),
        ({"sessions_limit": "many"}, "sessions_limit"),
        ({"retention_active_days": -1}, "at least 0"),
        ({"retention_active_days": float("nan")}, "at least 0"),
        ({"durable": "perhaps"}, "on or off"),
        ({"key": b"short"}, "32 bytes"),
        ({"key": ""}, "passphrase"),
        ({"key": "two\0words"}, "NUL"),
        ({"url": "mysql://nowhere"}, "mysql"),
        ({"key_file": "/no/such/file", "url": "/tmp/never-made.db"}, "key file"),
    ],
)
def test_invalid_option_error_names_problem(options, says):
    with pytest.raises(ConfigError, match=says):
        keepsaid.open(**options)


@pytest.mark.parametrize(
    ("name", "content"), [("a.toml", "x ="), ("a.yaml", "a: [b"), ("a.json", "[1]"), ("a.toml", "key = 3")]
)
def test_invalid_or_missing_config_file_is_rejected(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    with pytest.raises(ConfigError, match=r"a\."):
        load({}, {}, tmp_path / name)
    with pytest.raises(ConfigError, match="cannot read"):
        load({}, {}, tmp_path / "missing.toml")


def test_key_is_not_shown_in_repr_or_errors():
    settings = load({"key": "open sesame"}, {})
    assert "sesame" not in repr(settings)
    with pytest.raises(ConfigError) as caught:
        load({"key": b"sesame"}, {})
    assert "sesame" not in str(caught.value)


def test_default_store_is_in_user_data_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with keepsaid.open() as memory:
        memory.chat(owner="u1")
    assert (tmp_path / "keepsaid" / "memory.db").exists()


def test_store_paths_and_sqlite_urls_open_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for url, file in (("a.db", "a.db"), ("sqlite:///b.db", "b.db"), (f"sqlite:///{tmp_path}/c.db", "c.db")):
        keepsaid.open(url).close()
        assert (tmp_path / file).exists()
    monkeypatch.setenv("KEEPSAID_URL", "d.db")
    keepsaid.open().close()
    assert (tmp_path / "d.db").exists()


def test_store_keeps_its_tokenizer(tmp_path):
    path = tmp_path / "chat.db"
    keepsaid.open(path, tokenizer="gpt-4").close()
    with keepsaid.open(path) as memory:
        assert memory.tokenizer == "cl100k_base"
    keepsaid.open(path, tokenizer="cl100k_base").close()
    with pytest.raises(ConfigError, match="cl100k_base"):
        keepsaid.open(path, tokenizer="gpt-4o")


def test_mistyped_setting_gets_suggestion(tmp_path):
    file = tmp_path / "keepsaid.toml"
    file.write_text("[retention]\nactiv_days = 3\n")
    with pytest.raises(
        ConfigError, match=r"'retention_activ_days' in .*keepsaid.toml; did you mean 'retention_active_days'\?"
    ):
        load({}, {}, file)


def test_origins_name_value_and_source_of_each_setting(tmp_path):
    file = tmp_path / "keepsaid.yaml"
    file.write_text("llm: off\nsessions_limit: 5\nkey_file: k\n")
    environment = {
        "KEEPSAID_SESSIONS_LIMIT": "7",
        "KEEPSAID_KEY": "sesame",
        "KEEPSAID_DB": "a.db",
        "KEEPSAID_URL": "b.db",
    }
    told = {origin.name: (origin.value, origin.where) for origin in origins({"durable": "no"}, environment, file)}
    assert told["sessions_limit"] == (7, "KEEPSAID_SESSIONS_LIMIT")
    assert told["llm"] == ("off", str(file))
    assert told["durable"] == (False, "argument")
    assert told["url"] == ("a.db", "KEEPSAID_DB")
    assert told["key"] == ("sesame", "KEEPSAID_KEY")
    assert told["key_file"] == (None, "default")
    assert told["strategy"] == ("hybrid", "default")
    assert [*told] == [setting.name for setting in SETTINGS]


def test_knobs_list_aliases_from_five_other_systems():
    """Names under which users of the five systems look for their settings (SPEC, section 8)."""
    known = ", ".join(setting.also_known_as for setting in SETTINGS).split(", ")
    wanted = """
        memory.enabled CHAT__PERSIST storage_path vector_store.path max_history_tokens CHAT__MAX_TOKENS token_limit strategy
        memoryType maxMessages windowSize maxTokens keep_recent enable_condensation enable_dspy
        CONVO_SUMMARY_EVERY_N_MESSAGES CONVO_SUMMARY_MAX_TOKENS RAG_PER_TURN_MEMORY_BUDGET_TOKENS rag.top_k RAG_TOP_K_MAX
        RAG_SIMILARITY_THRESHOLD RAG_RE_RANK_TOP_N RAG_FINAL_TOP_K RAG_CHUNK_SIZE RAG_CHUNK_OVERLAP embedding_model
        embedding_provider EMBEDDINGS_DEVICE expiresInDays auto_prune_days days_old prune limit
    """.split()
    assert set(wanted) <= set(known)


def test_persist_off_writes_no_messages_to_disk(tmp_path):
    path = tmp_path / "chat.db"
    with keepsaid.open(path, persist=False) as memory:
        chat = memory.chat(owner="u1")
        chat.add("user", "The code is 4711.")
        assert memory.chat(owner="u1", session=chat.id).messages()[0].text == "The code is 4711."
    assert b"4711" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())


def test_empty_store_variable_is_ignored():
    assert load({}, {"KEEPSAID_DB": "", "KEEPSAID_URL": "b.db"}).url == "b.db"
