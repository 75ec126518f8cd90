"""DSPy: it ships no tests of histories. Ours run its programs with a scripted model."""

from framework import Framework

FRAMEWORK = Framework(
    name="dspy",
    title="DSPy",
    extra="dspy",
    packages=("dspy==3.4.1",),
    adapter="dspy",
    ours=("tests/adapters/test_dspy.py", "tests/test_llm.py::TestDspy"),
)
