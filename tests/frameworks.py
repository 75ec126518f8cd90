"""Doors are tested where their framework is installed: some quarrel with others, and have environments of their own."""

from __future__ import annotations

import importlib
import os
from types import ModuleType

import pytest


def framework(name: str) -> ModuleType:
    """A framework's module; whoever asks is passed over where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        if name in os.environ.get("RECOLLECT_FRAMEWORKS", "").split():
            raise
        pytest.skip(f"{name} is not installed: {error}", allow_module_level=True)
