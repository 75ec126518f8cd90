"""LangChain: langchain-core's tests of chat message histories with ours in place, and its standard tests for retrievers."""

from framework import Framework, Suite

FRAMEWORK = Framework(
    name="langchain",
    title="LangChain",
    extra="langchain",
    packages=("langchain==1.4.7", "langchain-core==1.7.2"),
    adapter="langchain",
    ours=("tests/adapters/test_langchain.py", "tests/adapters/test_langchain_middleware.py"),
    suites=(
        Suite(
            title="chat message histories, and RunnableWithMessageHistory",
            sdist="langchain-core==1.7.2",
            paths=("tests/unit_tests/chat_history", "tests/unit_tests/runnables/test_history.py"),
            plugin="swap_langchain",
            packages=("pytest", "pytest-asyncio", "pytest-mock", "blockbuster", "syrupy", "freezegun", "responses", "numpy"),
        ),
        Suite(
            title="standard tests for retrievers (langchain-tests)",
            paths=("tests/adapters/test_langchain_standard.py",),
            packages=("langchain-tests==1.1.9",),
            arguments=("-o", "asyncio_mode=auto", "-o", "asyncio_default_fixture_loop_scope=function"),
        ),
    ),
)
