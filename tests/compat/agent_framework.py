"""Microsoft Agent Framework: it ships no tests, so ours state its contract; its in-memory history must pass them, too."""

from framework import Framework

FRAMEWORK = Framework(
    name="agent-framework",
    title="Microsoft Agent Framework",
    extra="agent-framework",
    packages=("agent-framework-core==1.23.0",),
    adapter="agent_framework",
    ours=("tests/adapters/test_agent_framework.py",),
)
