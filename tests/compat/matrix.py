"""All adapters at once: every framework in one environment, so that what one says is heard by each of the others."""

from framework import Framework

FRAMEWORK = Framework(
    name="matrix",
    title="All adapters together",
    extra="",
    packages=(
        "openai-agents==0.24.0",
        "langchain==1.4.7",
        "langchain-core==1.7.2",
        "llama-index-core==0.14.25",
        "google-adk==2.13.0",
        "strands-agents==1.62.0",
        "agent-framework-core==1.23.0",
        "pydantic-ai-slim==2.66.0",
        "chainlit==2.12.0",
    ),
    ours=("tests/adapters/test_matrix.py",),
)
