"""Settings: nearest source wins, every knob is known everywhere, mistakes are named."""

from dataclasses import fields

import pytest

import recollect
from recollect.config import KNOBS, Settings, load, origins
from recollect.errors import ConfigError


def test_arguments_win_over_environment_over_file_over_defaults(tmp_path):
    file = tmp_path / "recollect.toml"
    file.write_text("sessions_limit = 1\nretention_batch = 2\ndurable = false\n[retention]\nactive_days = 3\n")
    environment = {"RECOLLECT_RETENTION_BATCH": "20", "RECOLLECT_SESSIONS_LIMIT": "10"}
    settings = load({"sessions_limit": 100}, environment, file)
    assert (settings.sessions_limit, settings.retention_batch) == (100, 20)
    assert (settings.durable, settings.retention_active_days, settings.retention_deleted_days) == (False, 3.0, 30.0)


def days(settings):
    return settings.retention_active_days, settings.retention_archived_days, settings.retention_deleted_days


def test_nothing_expires_by_default():
    settings = load({}, {})
    assert days(settings) == (None, None, 30.0)
    assert (settings.retention_preset, settings.retention_policy.keep_facts) == ("off", True)
    assert not load({"retention_facts": "purge"}, {}).retention_policy.keep_facts


def test_the_retention_preset_stands_for_three_settings(tmp_path):
    assert days(load({"retention_preset": "30/90/30"}, {})) == (30.0, 90.0, 30.0)
    file = tmp_path / "recollect.toml"
    file.write_text('[retention]\npreset = "30/90/30"\narchived_days = "off"\n')
    assert days(load({}, {}, file)) == (30.0, None, 30.0)
    assert days(load({}, {"RECOLLECT_RETENTION_ACTIVE_DAYS": "7"}, file)) == (7.0, None, 30.0)
    # A preset wins over single settings from farther away.
    assert days(load({"retention_preset": "off"}, {"RECOLLECT_RETENTION_ACTIVE_DAYS": "7"}, file)) == (None, None, 30.0)
    where = {origin.name: origin.where for origin in origins({}, {"RECOLLECT_RETENTION_PRESET": "30/90/30"})}
    assert where["retention_archived_days"] == "RECOLLECT_RETENTION_PRESET"
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
def test_files_of_every_kind(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    settings = load({}, {"RECOLLECT_CONFIG": str(tmp_path / name)})
    assert settings.retention_archived_days is None


def test_every_knob_is_a_setting_and_the_other_way_round():
    assert [knob.name for knob in KNOBS] == [field.name for field in fields(Settings)]
    for knob in KNOBS:
        assert knob.help
        assert knob.variable == f"RECOLLECT_{knob.name.upper()}"


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
        ({"url": "mysql://nowhere"}, "mysql"),
        ({"key_file": "/no/such/file", "url": "/tmp/never-made.db"}, "key file"),
    ],
)
def test_mistakes_are_named(options, says):
    with pytest.raises(ConfigError, match=says):
        recollect.open(**options)


@pytest.mark.parametrize(
    ("name", "content"), [("a.toml", "x ="), ("a.yaml", "a: [b"), ("a.json", "[1]"), ("a.toml", "key = 3")]
)
def test_bad_files(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    with pytest.raises(ConfigError, match=r"a\."):
        load({}, {}, tmp_path / name)
    with pytest.raises(ConfigError, match="cannot read"):
        load({}, {}, tmp_path / "missing.toml")


def test_a_key_is_never_shown():
    settings = load({"key": "open sesame"}, {})
    assert "sesame" not in repr(settings)
    with pytest.raises(ConfigError) as caught:
        load({"key": b"sesame"}, {})
    assert "sesame" not in str(caught.value)


def test_the_default_store_is_in_the_users_data_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with recollect.open() as memory:
        memory.chat(owner="u1")
    assert (tmp_path / "recollect" / "memory.db").exists()


def test_urls(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for url, file in (("a.db", "a.db"), ("sqlite:///b.db", "b.db"), (f"sqlite:///{tmp_path}/c.db", "c.db")):
        recollect.open(url).close()
        assert (tmp_path / file).exists()
    monkeypatch.setenv("RECOLLECT_URL", "d.db")
    recollect.open().close()
    assert (tmp_path / "d.db").exists()


def test_a_store_keeps_its_tokenizer(tmp_path):
    path = tmp_path / "chat.db"
    recollect.open(path, tokenizer="gpt-4").close()
    with recollect.open(path) as memory:
        assert memory.tokenizer == "cl100k_base"
    recollect.open(path, tokenizer="cl100k_base").close()
    with pytest.raises(ConfigError, match="cl100k_base"):
        recollect.open(path, tokenizer="gpt-4o")


def test_a_mistyped_setting_gets_a_suggestion(tmp_path):
    file = tmp_path / "recollect.toml"
    file.write_text("[retention]\nactiv_days = 3\n")
    with pytest.raises(
        ConfigError, match=r"'retention_activ_days' in .*recollect.toml; did you mean 'retention_active_days'\?"
    ):
        load({}, {}, file)


def test_origins(tmp_path):
    file = tmp_path / "recollect.yaml"
    file.write_text("llm: off\nsessions_limit: 5\nkey_file: k\n")
    environment = {
        "RECOLLECT_SESSIONS_LIMIT": "7",
        "RECOLLECT_KEY": "sesame",
        "RECOLLECT_DB": "a.db",
        "RECOLLECT_URL": "b.db",
    }
    told = {origin.name: (origin.value, origin.where) for origin in origins({"durable": "no"}, environment, file)}
    assert told["sessions_limit"] == (7, "RECOLLECT_SESSIONS_LIMIT")
    assert told["llm"] == ("off", str(file))
    assert told["durable"] == (False, "argument")
    assert told["url"] == ("a.db", "RECOLLECT_DB")
    assert told["key"] == ("sesame", "RECOLLECT_KEY")
    assert told["key_file"] == (None, "default")
    assert told["strategy"] == ("hybrid", "default")
    assert [*told] == [knob.name for knob in KNOBS]


def test_every_knob_of_the_five_documents_is_there():
    """The names by which users of the five systems look for their knobs (SPEC, section 8)."""
    known = ", ".join(knob.also_known_as for knob in KNOBS).split(", ")
    wanted = """
        memory.enabled CHAT__PERSIST storage_path vector_store.path max_history_tokens CHAT__MAX_TOKENS token_limit strategy
        memoryType maxMessages windowSize maxTokens keep_recent enable_condensation enable_dspy
        CONVO_SUMMARY_EVERY_N_MESSAGES CONVO_SUMMARY_MAX_TOKENS RAG_PER_TURN_MEMORY_BUDGET_TOKENS rag.top_k RAG_TOP_K_MAX
        RAG_SIMILARITY_THRESHOLD RAG_RE_RANK_TOP_N RAG_FINAL_TOP_K RAG_CHUNK_SIZE RAG_CHUNK_OVERLAP embedding_model
        embedding_provider EMBEDDINGS_DEVICE expiresInDays auto_prune_days days_old prune limit
    """.split()
    assert set(wanted) <= set(known)


def test_nothing_is_written_where_persist_is_off(tmp_path):
    path = tmp_path / "chat.db"
    with recollect.open(path, persist=False) as memory:
        chat = memory.chat(owner="u1")
        chat.add("user", "The code is 4711.")
        assert memory.chat(owner="u1", session=chat.id).messages()[0].text == "The code is 4711."
    assert b"4711" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())


def test_an_empty_variable_for_the_store_is_none():
    assert load({}, {"RECOLLECT_DB": "", "RECOLLECT_URL": "b.db"}).url == "b.db"
