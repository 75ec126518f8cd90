"""Chainlit: its own tests of data layers, with ours in place of those that keep tables."""

from framework import Framework, Suite

SDIST = "chainlit==2.12.0"
POSTGRES = "tests/data/test_chainlit_data_layer.py::"

NO_SQL = "checks SQL statements: the adapter sends none (tests/adapters/test_chainlit.py tests the same rule)"

FRAMEWORK = Framework(
    name="chainlit",
    title="Chainlit",
    extra="chainlit",
    packages=(SDIST,),
    adapter="chainlit",
    ours=("tests/adapters/test_chainlit.py", "tests/adapters/test_matrix.py"),
    suites=(
        Suite(
            title="data layer tests",
            sdist=SDIST,
            paths=(
                "tests/data/test_sql_alchemy.py",
                "tests/data/test_chainlit_data_layer.py",
                "tests/data/test_get_data_layer.py",
            ),
            plugin="swap_chainlit",
            packages=("pytest-asyncio", "sqlalchemy", "aiosqlite", "asyncpg", "greenlet"),
            arguments=("-o", "asyncio_mode=auto"),
            differences={
                "tests/data/test_sql_alchemy.py::test_get_current_timestamp": (
                    "uses a helper of the SQL layer that is not part of a data layer"
                ),
                f"{POSTGRES}test_update_thread_preserves_metadata_when_none_existing_thread": NO_SQL,
                f"{POSTGRES}test_update_thread_noop_skips_upsert_on_existing_thread": NO_SQL,
                f"{POSTGRES}test_update_thread_new_thread_includes_empty_metadata": NO_SQL,
                f"{POSTGRES}test_update_thread_merges_metadata_when_provided": NO_SQL,
                f"{POSTGRES}test_update_thread_deletes_keys_with_none_values": NO_SQL,
                f"{POSTGRES}test_create_step_uses_nullif_for_output_and_input": NO_SQL,
            },
        ),
    ),
)
