"""Google ADK: it ships no tests, so ours state its contract, and its own in-memory service must pass them, too."""

from framework import Framework

FRAMEWORK = Framework(
    name="google-adk",
    title="Google ADK",
    extra="google-adk",
    packages=("google-adk==2.13.0",),
    adapter="google_adk",
    ours=("tests/adapters/test_google_adk.py",),
)
