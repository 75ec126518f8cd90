"""Anthropic's memory tool: the SDK's own tests of the six commands, with ours in place of the one on a disk."""

from framework import Framework, Suite

TESTS = "tests/lib/tools/memory_tools"
SYNC = f"{TESTS}/test_filesystem.py::TestBetaLocalFilesystemMemoryTool::"
ASYNC = f"{TESTS}/test_filesystem.py::TestBetaAsyncLocalFilesystemMemoryTool::"

NO_LINKS = "creates a symbolic link on disk: names in a blob store are never links"
NO_MODES = "checks permissions of folders on disk: a blob store has none"

FRAMEWORK = Framework(
    name="anthropic-memory",
    title="Anthropic memory tool",
    extra="anthropic",
    packages=("anthropic==2.8.0",),
    adapter="anthropic_memory",
    ours=("tests/adapters/test_anthropic_memory.py",),
    suites=(
        Suite(
            title="memory tool tests",
            sdist="anthropic==2.8.0",
            paths=(TESTS,),
            plugin="swap_anthropic_memory",
            packages=("pytest-asyncio", "pytest-xdist", "inline-snapshot", "http-snapshot[httpx]", "httpx2"),
            arguments=("-n", "0"),
            differences={
                f"{SYNC}test_mkdir_parents_not_world_writable_under_permissive_umask": NO_MODES,
                f"{ASYNC}test_mkdir_parents_not_world_writable_under_permissive_umask": NO_MODES,
                f"{SYNC}test_symlink_validation_reject_symlink_pointing_outside_memories": NO_LINKS,
                f"{ASYNC}test_symlink_validation_reject_symlink_pointing_outside_memories": NO_LINKS,
                f"{SYNC}test_symlink_validation_reject_creating_files_through_symlink_pointing_outside": NO_LINKS,
                f"{ASYNC}test_symlink_validation_reject_creating_files_through_symlink_pointing_outside": NO_LINKS,
                f"{SYNC}test_symlink_validation_reject_parent_directory_that_is_symlink_pointing_outside": NO_LINKS,
                f"{ASYNC}test_symlink_validation_reject_parent_directory_that_is_symlink_pointing_outside": NO_LINKS,
                f"{ASYNC}test_validate_path_returns_resolved_path_not_symlink_target": NO_LINKS,
            },
        ),
    ),
)
