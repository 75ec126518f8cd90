"""Reads settings from a file."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from keepsaid.errors import ConfigError, MissingExtra


def read_file(path: Path) -> dict[str, Any]:
    """Return the settings in a TOML, YAML or JSON file, with tables flattened into names."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read the configuration {path}: {error}") from None
    try:
        value = _parse(path, text)
    except ValueError as error:
        raise ConfigError(f"{path} is not valid: {error}") from None
    if not isinstance(value, dict):
        raise ConfigError(f"{path} must be a table of settings")
    return _flatten(value)  # pyright: ignore[reportUnknownArgumentType]


def _parse(path: Path, text: str) -> Any:
    if path.suffix in (".yaml", ".yml"):
        try:
            import yaml  # pyright: ignore[reportMissingModuleSource]
        except ImportError:
            raise MissingExtra("YAML configuration needs: pip install 'keepsaid[yaml]'") from None
        try:
            return yaml.safe_load(text) or {}
        except yaml.YAMLError as error:
            raise ValueError(str(error)) from None
    return json.loads(text) if path.suffix == ".json" else tomllib.loads(text)


def _flatten(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(value, dict):
            flat.update(_flatten(value, f"{prefix}{name}_"))  # pyright: ignore[reportUnknownArgumentType]
        else:
            flat[f"{prefix}{name}"] = value
    return flat
