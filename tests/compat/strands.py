"""Strands: its own tests of sessions, and of agents that have one, with our repository in place."""

from framework import Framework, Suite

SDIST = "strands-agents==1.62.0"
FILES = "tests/strands/session/test_file_session_manager.py::"
NEEDED = ("pytest-asyncio>=1.0,<1.5", "moto[s3]", "opentelemetry-processor-baggage")

LOOKS_AT_FILES = "looks for a file or folder on disk: the adapter stores rows"
MAKES_PATHS = "asks for a file path, which the adapter does not have"

FRAMEWORK = Framework(
    name="strands",
    title="Strands Agents",
    extra="strands",
    packages=(SDIST,),
    adapter="strands",
    ours=("tests/adapters/test_strands.py",),
    suites=(
        Suite(
            title="session tests",
            sdist=SDIST,
            paths=(
                "tests/strands/session/test_repository_session_manager.py",
                "tests/strands/session/test_file_session_manager.py",
                "tests/strands/test_tracking_id_history_invariant.py",
            ),
            plugin="swap_strands",
            packages=NEEDED,
            differences={
                f"{FILES}test_create_session": LOOKS_AT_FILES,
                f"{FILES}test_delete_session": LOOKS_AT_FILES,
                f"{FILES}test_create_agent": LOOKS_AT_FILES,
                f"{FILES}test_create_message": LOOKS_AT_FILES,
                f"{FILES}test_message_durable_id_persists": LOOKS_AT_FILES,
                f"{FILES}test_corrupted_json_file": LOOKS_AT_FILES,
                f"{FILES}test_create_multi_agent": LOOKS_AT_FILES,
                f"{FILES}test_create_session_multi_agent_directory_structure": LOOKS_AT_FILES,
                f"{FILES}test__get_session_path_invalid_session_id": MAKES_PATHS,
                f"{FILES}test__get_agent_path_invalid_agent_id": MAKES_PATHS,
                f"{FILES}test__get_message_path_invalid_message_id": MAKES_PATHS,
            },
        ),
        Suite(
            title="agents with sessions",
            sdist=SDIST,
            paths=(
                "tests/strands/agent/test_agent.py",
                "tests/strands/agent/test_agent_as_tool.py",
                "tests/strands/agent/test_agent_delegation.py",
                "tests/strands/middleware/test_agent_stream_middleware.py",
                "tests/strands/models/routing/test_router.py",
                "tests/strands/multiagent/test_swarm.py",
            ),
            plugin="swap_strands",
            packages=NEEDED,
        ),
    ),
)
