"""Only tests are collected here: the helper needs a package that may not be there."""

collect_ignore = ["assistants.py"]
