"""Adapters are tested where their framework is installed: some conflict with others, and have environments of their own."""

from __future__ import annotations

import importlib
import os
from types import ModuleType

import pytest


def framework(name: str) -> ModuleType:
    """Return a framework's module; skip the test module if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        if name in os.environ.get("KEEPSAID_FRAMEWORKS", "").split():
            raise
        pytest.skip(f"{name} is not installed: {error}", allow_module_level=True)
