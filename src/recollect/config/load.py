"""Settings from all sources, the nearest one winning, and where each of them came from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

from recollect.config.file import read_file
from recollect.config.knobs import KNOBS, PREFIX
from recollect.config.settings import DEFAULTS, RETENTION_DAYS, RETENTION_PRESETS, SECRETS, Settings
from recollect.errors import ConfigError

KNOWN = {knob.name: knob for knob in KNOBS}
DB = PREFIX + "DB"
"""What the command line calls the store; it wins over RECOLLECT_URL, unless it is empty."""
VARIABLES = {knob.variable: knob.name for knob in KNOBS} | {DB: "url"}
"""Which knob a variable of the environment turns."""


KEYS = ("key", "key_file")


class Origin(NamedTuple):
    """A setting in force, and where it is from: "default", a variable's name, a file's name, or "argument".

    >>> Origin("sessions_limit", 5, "RECOLLECT_SESSIONS_LIMIT").where
    'RECOLLECT_SESSIONS_LIMIT'
    """

    name: str
    value: Any
    where: str


def load(arguments: Mapping[str, Any], environment: Mapping[str, str], file: str | Path | None = None) -> Settings:
    """Settings from all sources, the nearest one winning.

    >>> load({"sessions_limit": 5}, {"RECOLLECT_SESSIONS_LIMIT": "7", "RECOLLECT_DURABLE": "off"})
    ... # doctest: +ELLIPSIS
    Settings(url='', ..., durable=False, ..., sessions_limit=5, ..., key=None, ..., jwt_secret=None)
    """
    return Settings(**{name: value for name, (value, _) in _given(arguments, environment, file).items()})


def origins(arguments: Mapping[str, Any], environment: Mapping[str, str], file: str | Path | None = None) -> list[Origin]:
    """Every setting in force and where it is from, in the order of the list of knobs.

    >>> [origin for origin in origins({}, {"RECOLLECT_SESSIONS_LIMIT": "7"}) if origin.where != "default"]
    [Origin(name='sessions_limit', value=7, where='RECOLLECT_SESSIONS_LIMIT')]
    """
    given = _given(arguments, environment, file)
    return [Origin(knob.name, *given.get(knob.name, (getattr(DEFAULTS, knob.name), "default"))) for knob in KNOBS]


def _given(
    arguments: Mapping[str, Any], environment: Mapping[str, str], file: str | Path | None
) -> dict[str, tuple[Any, str]]:
    """What is set anywhere, read and checked, with where it was."""
    values: dict[str, tuple[Any, str]] = {}
    for source in _sources(arguments, environment, file or environment.get(PREFIX + "CONFIG")):
        if any(name in KEYS for name, _, _ in source):
            # Two ways to say the same: the nearest source that says either wins.
            values = {name: value for name, value in values.items() if name not in KEYS}
        read = {name: (_read(name, value, where), where) for name, value, where in source}
        # What stands beside a preset wins over it, what comes from farther away does not.
        values |= _preset_days(read) | read
    return values


def _preset_days(read: Mapping[str, tuple[Any, str]]) -> dict[str, tuple[Any, str]]:
    """The settings that a source's retention preset stands for."""
    if "retention_preset" not in read:
        return {}
    preset, where = read["retention_preset"]
    return {name: (days, where) for name, days in zip(RETENTION_DAYS, RETENTION_PRESETS[preset], strict=True)}


def _sources(
    arguments: Mapping[str, Any], environment: Mapping[str, str], file: str | Path | None
) -> Iterator[list[tuple[str, Any, str]]]:
    """What each source says (name, value, where), the farthest source first."""
    if file:
        yield [(name, value, str(file)) for name, value in read_file(Path(file)).items()]
    # Other programs may use the prefix for their own, so an unknown variable is not an error.
    yield [
        (name, environment[variable], variable)
        for variable, name in VARIABLES.items()
        if variable in environment and (environment[variable] or variable != DB)
    ]
    yield [(name, value, "argument") for name, value in arguments.items()]


def _read(name: str, value: Any, where: str) -> Any:
    place = "" if where == "argument" else f" in {where}" if where not in VARIABLES else f" in the environment ({where})"
    if name not in KNOWN:
        near = get_close_matches(name, KNOWN, n=1)
        advice = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(KNOWN)}"
        raise ConfigError(f"there is no setting {name!r}{place}; {advice}")
    if value is None and getattr(DEFAULTS, name) is None:
        return None
    try:
        return KNOWN[name].parse(value)
    except (ValueError, TypeError) as error:
        shown = "***" if name in SECRETS else repr(value)
        raise ConfigError(f"{name}{place} is {shown}: {error}") from None
