"""Parsers for the values of settings, from an argument, a variable or a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from keepsaid.config.settings import PERSONAL, PRESETS


def text(value: Any) -> str:
    """Return text unchanged."""
    if not isinstance(value, str):
        raise ValueError("must be a string")
    return value


def name(value: Any) -> str:
    """Return a name, which must not be empty."""
    if not text(value).strip():
        raise ValueError("must not be empty")
    return value


def key(value: Any) -> str | bytes:
    """Return the key of an encrypted store."""
    if not isinstance(value, (str, bytes)) or not value:
        raise ValueError("must be a passphrase or 32 bytes")
    if isinstance(value, bytes) and len(value) != 32:
        raise ValueError(f"a binary key has 32 bytes, not {len(value)}")
    if isinstance(value, str) and "\0" in value:
        raise ValueError("a passphrase cannot contain a NUL character")
    return value


def embedder(value: Any) -> Any:
    """Return an embedder's name or object."""
    if isinstance(value, str) and not value:
        raise ValueError("must name an embedder, or be auto or off")
    return _off(value)


def llm(value: Any) -> Any:
    """Return a language model's name or object."""
    return _off(value)


def from_python(value: Any) -> Any:
    """Return an object, which has no name and so cannot come from a file."""
    if isinstance(value, str):
        raise ValueError("must be an object, which can only be passed from Python")
    return value


def words(value: Any) -> tuple[str, ...]:
    """Return several words, from a list or from text with commas or spaces between them."""
    if isinstance(value, str):
        return tuple(value.replace(",", " ").split())
    return tuple(name(word) for word in value)


def flag(value: Any) -> bool:
    """Return True or False for on, off and their synonyms."""
    known = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
    found = known.get(str(value).lower())
    if found is None:
        raise ValueError("must be on or off")
    return found


def number(smallest: float, whole: bool = False, none: bool = False) -> Callable[[Any], Any]:
    """Return a parser for numbers of at least `smallest`; with `none`, off is accepted too."""

    def parse(value: Any) -> Any:
        # YAML reads a bare `off` as False.
        if none and (value is None or value is False or str(value).lower() in ("off", "none", "never")):
            return None
        if isinstance(value, bool):
            raise ValueError("must be a number")
        number = int(value) if whole else float(value)
        if not number >= smallest:
            raise ValueError(f"must be at least {smallest:g}")
        return number

    return parse


def share(value: Any) -> float:
    """Return a number from 0 to 1."""
    number = float(value)
    if not 0 <= number <= 1:
        raise ValueError("must be from 0 to 1")
    return number


def one_of(*names: str, but_also: Callable[[Any], bool] = lambda value: False) -> Callable[[Any], Any]:
    """Return a parser for one of some names, or a value that passes another test."""

    def parse(value: Any) -> Any:
        value = _off(value)
        if value not in names and not but_also(value):
            raise ValueError(f"must be one of {', '.join(names)}")
        return value

    return parse


def condenses(value: Any) -> bool:
    """Whether a value is a custom condenser object."""
    return callable(getattr(value, "condense", None))


def budget(value: Any) -> int | str:
    """Return a number of tokens or the name of a preset."""
    if isinstance(value, str) and not value.isdigit():
        if value not in PRESETS:
            raise ValueError(f"must be a number of tokens, or one of {', '.join(PRESETS)}")
        return value
    return number(1, whole=True)(value)


def kinds(value: Any) -> tuple[str, ...]:
    """Return kinds of personal data, from a list, `all`, `off`, or names with commas."""
    return some_of(PERSONAL)(value)


def some_of(known: tuple[str, ...]) -> Callable[[Any], tuple[str, ...]]:
    """Return a parser for a subset of the known words: a list, `all`, `off`, or words with commas. Words that all have a
    minus mean all but these: `-event`."""

    def parse(value: Any) -> tuple[str, ...]:
        names = value.replace(",", " ").split() if isinstance(value, str) else list(value or ())
        if names in (["off"], ["none"]):
            return ()
        if names == ["all"]:
            return known
        if unknown := [name for name in names if str(name).removeprefix("-") not in known]:
            raise ValueError(f"must be among {', '.join(known)}, not {unknown[0]}")
        if names and all(name.startswith("-") for name in names):
            return tuple(name for name in known if f"-{name}" not in names)
        if excluded := [name for name in names if name.startswith("-")]:
            raise ValueError(f"must be words to include or words to exclude, not both: {excluded[0]}")
        return tuple(names)

    return parse


def _off(value: Any) -> Any:
    """Return "off" for False, as which YAML reads a bare `off`."""
    return "off" if value is False else value
