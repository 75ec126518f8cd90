"""How the value of a knob is read, from whatever source: an argument, a variable's text, or a file's value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from recollect.config.settings import PERSONAL, PRESETS


def text(value: Any) -> str:
    """Text as it is."""
    if not isinstance(value, str):
        raise ValueError("must be a string")
    return value


def name(value: Any) -> str:
    """A name, which cannot be empty."""
    if not text(value).strip():
        raise ValueError("must not be empty")
    return value


def key(value: Any) -> str | bytes:
    """The key of an encrypted store."""
    if not isinstance(value, (str, bytes)) or not value:
        raise ValueError("must be a passphrase or 32 bytes")
    if isinstance(value, bytes) and len(value) != 32:
        raise ValueError(f"a binary key has 32 bytes, not {len(value)}")
    return value


def embedder(value: Any) -> Any:
    """An embedder, by name or as it is."""
    if isinstance(value, str) and not value:
        raise ValueError("must name an embedder, or be auto or off")
    return _off(value)


def llm(value: Any) -> Any:
    """A language model, by name or as it is."""
    return _off(value)


def from_python(value: Any) -> Any:
    """Something that has no name, and so cannot stand in a file."""
    if isinstance(value, str):
        raise ValueError("must be an object, which only Python can give")
    return value


def words(value: Any) -> tuple[str, ...]:
    """Several words: a list, or text with commas or spaces between them."""
    if isinstance(value, str):
        return tuple(value.replace(",", " ").split())
    return tuple(name(word) for word in value)


def flag(value: Any) -> bool:
    """On or off, in many words."""
    known = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
    found = known.get(str(value).lower())
    if found is None:
        raise ValueError("must be on or off")
    return found


def number(smallest: float, whole: bool = False, none: bool = False) -> Callable[[Any], Any]:
    """A number from `smallest` on; with `none`, it may also be off."""

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
    """A share of one."""
    number = float(value)
    if not 0 <= number <= 1:
        raise ValueError("must be from 0 to 1")
    return number


def one_of(*names: str, but_also: Callable[[Any], bool] = lambda value: False) -> Callable[[Any], Any]:
    """One of some names, or a value that passes another test."""

    def parse(value: Any) -> Any:
        value = _off(value)
        if value not in names and not but_also(value):
            raise ValueError(f"must be one of {', '.join(names)}")
        return value

    return parse


def condenses(value: Any) -> bool:
    """Whether a value is a condenser of one's own."""
    return callable(getattr(value, "condense", None))


def budget(value: Any) -> int | str:
    """Tokens, or the name of a preset."""
    if isinstance(value, str) and not value.isdigit():
        if value not in PRESETS:
            raise ValueError(f"must be a number of tokens, or one of {', '.join(PRESETS)}")
        return value
    return number(1, whole=True)(value)


def kinds(value: Any) -> tuple[str, ...]:
    """Kinds of personal data: a list, or `all`, `off`, or names with commas."""
    return some_of(PERSONAL)(value)


def some_of(known: tuple[str, ...]) -> Callable[[Any], tuple[str, ...]]:
    """Some of the known words: a list, or `all`, `off`, or words with commas. Words that each have a minus are left out of
    all of them: `-event`."""

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
            raise ValueError(f"must be words to take or words to leave out, not both: {excluded[0]}")
        return tuple(names)

    return parse


def _off(value: Any) -> Any:
    """YAML reads a bare `off` as False."""
    return "off" if value is False else value
