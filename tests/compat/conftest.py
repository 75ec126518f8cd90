"""Only tests are collected here: the other files are for the runner, and are called as the frameworks are."""

from pathlib import Path

collect_ignore = [file.name for file in Path(__file__).parent.glob("*.py") if not file.name.startswith("test_")]
