"""LangGraph: its conformance suite, and the tests of its SQLite saver, of its SQLite store and of its engine, with ours."""

from framework import Framework, Suite

SQLITE = "langgraph-checkpoint-sqlite==3.1.2"
ENGINE = "langgraph==1.2.20"
CONFORMANCE = "langgraph-checkpoint-conformance==0.0.2"

TABLES = "reads or migrates the tables of the SQLite saver"
NO_SQL = (
    "expects an error for names with characters other than letters: the adapter allows any, because they are not part of SQL"
)
ANYWHERE = "expects an error: the adapter works sync and async, with or without an event loop"
NOT_YET = "tests a capability that the released conformance package does not know: their own saver fails too"
DEFAULT = (
    "expects that reading does not extend the TTL; LangGraph documents that it does by default, and so does the adapter"
)

MIGRATION = "tests/test_writes_task_path_migration.py::"

FRAMEWORK = Framework(
    name="langgraph",
    title="LangGraph",
    extra="langgraph",
    packages=(ENGINE, "langgraph-checkpoint==4.3.1", SQLITE, CONFORMANCE),
    adapter="langgraph",
    ours=(
        "tests/adapters/test_langgraph_checkpointer.py",
        "tests/adapters/test_langgraph_state_pieces.py",
        "tests/adapters/test_langgraph_store.py",
    ),
    suites=(
        Suite(
            title="checkpointer conformance, in a file and in memory",
            paths=("tests/adapters/test_langgraph_conformance.py",),
            arguments=("-p", "no:asyncio"),
        ),
        Suite(
            title="tests of the SQLite saver",
            sdist=SQLITE,
            paths=(
                "tests/test_sqlite.py", "tests/test_aiosqlite.py", "tests/test_delta_channel_migration.py",
                "tests/test_delta_parent_walk.py", "tests/test_get_delta_channel_history.py",
                "tests/test_conformance_delta.py", "tests/test_writes_task_path_migration.py",
            ),
            plugin="swap_langgraph",
            packages=("pytest-asyncio", "pytest-retry"),
            differences={
                "tests/test_sqlite.py::TestSqliteSaver::test_informative_async_errors": ANYWHERE,
                "tests/test_sqlite.py::TestSqliteSaver::test_checkpoint_search_sql_injection_prevention": NO_SQL,
                "tests/test_delta_parent_walk.py::test_walk_step_looks_up_the_parent_by_primary_key": TABLES,
                "tests/test_conformance_delta.py::test_delta_channel_conformance": NOT_YET,
                f"{MIGRATION}test_setup_migrates_legacy_writes_table_repeatably": TABLES,
                f"{MIGRATION}test_put_writes_persists_task_path": TABLES,
                f"{MIGRATION}test_async_setup_migrates_legacy_writes_table_repeatably": TABLES,
                f"{MIGRATION}test_setup_does_not_wait_on_another_writer": TABLES,
                f"{MIGRATION}test_async_setup_does_not_wait_on_another_writer": TABLES,
                f"{MIGRATION}test_read_only_legacy_database_still_reads_delta_history": TABLES,
                f"{MIGRATION}test_async_read_only_legacy_database_still_reads_delta_history": TABLES,
            },
        ),
        Suite(
            title="tests of the SQLite store",
            sdist=SQLITE,
            paths=("tests/test_store.py", "tests/test_async_store.py", "tests/test_ttl.py"),
            plugin="swap_langgraph_store",
            differences={
                "tests/test_store.py::test_vector_store_initialization": TABLES,
                "tests/test_store.py::test_nonnull_migrations": TABLES,
                "tests/test_store.py::test_sql_injection_vulnerability": NO_SQL,
                "tests/test_async_store.py::test_no_running_loop": ANYWHERE,
                "tests/test_ttl.py::test_ttl_override_default": DEFAULT,
            },
        ),
        Suite(
            title="tests of the engine, ours for its SQLite saver",
            sdist=ENGINE,
            paths=("tests",),
            plugin="swap_langgraph",
            packages=(
                "langgraph-checkpoint-postgres", "psycopg[binary,pool]", "pytest-mock", "syrupy", "redis", "pycryptodome",
                "pytest-xdist", "httpx",
            ),
            environment={"NO_DOCKER": "true"},
            arguments=("-p", "no:asyncio", "-n", "2"),
            minutes=40,
        ),
    ),
)  # fmt: skip
