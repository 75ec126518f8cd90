"""OpenAI Agents SDK: its own session tests, and those of its runner, with ours in place of SQLiteSession and of the list
that its tests have for a session.

Not run: tests/test_error_logging_redaction.py, which looks for the SDK's source beside it and fails without ours as well.
"""

from framework import Framework, Suite

SDIST = "openai-agents==0.24.0"

SESSION, LIMITS = "tests/memory/test_session.py::", "tests/memory/test_compaction_model_visibility.py::"
SUFFIX, ENCRYPTED = "tests/memory/test_compaction_suffix.py::", "tests/extensions/memory/test_encrypt_session.py::"
COMPACTION = "tests/memory/test_openai_responses_compaction_session.py::TestOpenAIResponsesCompactionSession::"

INSIDE = "checks connections, locks or rows inside SQLiteSession"
CORRUPT = "writes broken rows into SQLiteSession's table"
NO_CLOSE = "the adapter's session has no close: the code that opened its memory closes that"
INVALID = "an item that is not JSON raises InvalidInput, not TypeError"
SNAPSHOT = (
    "compacts the end of a history with a private method of SQLiteSession; for any other session, the SDK compacts the whole"
)
VALIDATED = (
    "decrypts inside SQLiteSession's transaction with one of its private methods; from any other session, the SDK pops first"
)

SESSION_DIFFERENCES = {
    **{
        f"{SESSION}test_sqlite_session_{name}": INSIDE
        for name in (
            "close_closes_worker_thread_connections", "reaps_connections_from_exited_worker_threads",
            "closes_retired_connections_before_the_next_allocation", "keeps_connections_of_live_worker_threads",
            "file_lock_is_shared_across_instances", "failed_clear_session_rolls_back", "failed_pop_item_releases_write_lock",
            "rollback_failure_evicts_connection", "close_retries_quarantined_connection",
            "post_commit_cancellation_propagates_after_known_outcome",
        )
    },
    **{
        f"{SESSION}test_sqlite_session_{name}": CORRUPT
        for name in (
            "pop_item_skips_corrupt_most_recent", "pop_item_returns_none_after_dropping_only_corrupt_rows",
            "get_items_limit_skips_corrupt_newest_rows", "get_items_session_settings_limit_skips_corrupt_rows",
        )
    },
    f"{SESSION}test_sqlite_session_closed_rejects_empty_add_items": NO_CLOSE,
    f"{SESSION}test_sqlite_session_failed_add_items_releases_write_lock": INVALID,
    **{
        f"{LIMITS}{name}": SNAPSHOT
        for name in (
            "test_backend_read_limit_cannot_hide_retained_history_from_compaction",
            "test_automatic_compaction_does_not_reload_unbounded_hidden_history",
            "test_expired_read_overhead_does_not_authorize_hidden_history",
        )
    },
    **{
        # Their asynchronous session is not swapped.
        f"{SUFFIX}{name}[sqlite*": SNAPSHOT
        for name in (
            "test_expired_prefix_does_not_block_full_live_window", "test_suffix_transaction_rolls_back_failed_insert",
            "test_new_backend_write_invalidates_snapshot", "test_cancelled_suffix_transaction_settles_before_newer_append",
            "test_failed_encrypted_suffix_transaction_preserves_original_tokens",
            "test_repeated_ttl_bursts_do_not_accumulate_expired_rows", "test_prefix_cleanup_stops_before_retained_history",
            "test_partial_compaction_does_not_split_tool_call_and_output",
            "test_unverifiable_rows_inside_snapshot_are_retained",
            "test_partial_compaction_preserves_reasoning_and_its_follower",
        )
    },
    f"{COMPACTION}test_automatic_compaction_rollback_budget[True]": SNAPSHOT,
    f"{COMPACTION}test_settled_pop_failure_invalidates_response_chain": INSIDE,
    f"{COMPACTION}test_settled_clear_failure_invalidates_response_chain": INSIDE,
    f"{ENCRYPTED}test_encrypted_compaction_skips_unencrypted_stored_history": SNAPSHOT,
    **{
        f"{ENCRYPTED}test_encrypted_pop_{name}": VALIDATED
        for name in (
            "wrong_key_preserves_recoverable_history", "rechecks_authentication_after_expired_tail",
            "authentication_is_atomic_with_concurrent_mutations", "wrong_key_preserves_row_identity",
            "cancellation_waits_for_authentication_rollback",
        )
    },
}  # fmt: skip

RUNNER = (
    "tests/test_agent_runner.py", "tests/test_agent_runner_streamed.py", "tests/test_max_turns.py",
    "tests/test_soft_cancel.py", "tests/test_cancel_streaming.py", "tests/test_handoff_history_duplication.py",
    "tests/test_hitl_session_scenario.py", "tests/test_invalid_final_output_handler.py",
    "tests/test_native_tool_failure_history.py", "tests/test_programmatic_tool_calling.py",
    "tests/test_prompt_cache_key.py", "tests/test_run_impl_resume_paths.py", "tests/test_run_state_pending_input.py",
    "tests/test_runner_guardrail_resume.py", "tests/test_runner_tracing_disabled.py",
    "tests/test_runtime_symmetry_contract.py", "tests/test_tool_batch_failure_history.py",
    "tests/test_tool_failure_boundaries.py", "tests/deferred_session_writes", "tests/utils/test_simple_session.py",
    "tests/sandbox/test_memory.py",
)  # fmt: skip
"""Every file that has a session in it."""

FRAMEWORK = Framework(
    name="openai-agents",
    title="OpenAI Agents SDK",
    extra="openai-agents",
    packages=(SDIST,),
    adapter="openai_agents",
    ours=("tests/adapters/test_openai_agents.py",),
    suites=(
        Suite(
            title="sessions",
            sdist=SDIST,
            paths=("tests/memory", "tests/extensions/memory/test_encrypt_session.py"),
            plugin="swap_openai_agents",
            packages=(
                "pytest-asyncio==1.4.1.post1", "pytest-timeout", "httpx==0.28.1", "inline-snapshot", "aiosqlite",
                "cryptography",
            ),
            arguments=("--timeout=60",),
            differences=SESSION_DIFFERENCES,
        ),
        Suite(
            title="runs that keep a session",
            sdist=SDIST,
            paths=RUNNER,
            plugin="swap_openai_agents",
            arguments=("--timeout=60",),
            differences={
                "tests/test_run_impl_resume_paths.py::test_handoff_resume_after_cancelled_compaction_commits": SNAPSHOT,
            },
        ),
    ),
)  # fmt: skip
