"""Loads settings from all sources, and says where each one came from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

from keepsaid.config.file import read_file
from keepsaid.config.setting_list import PREFIX, SETTINGS
from keepsaid.config.settings import DEFAULTS, RETENTION_DAYS, RETENTION_PRESETS, SECRETS, Settings
from keepsaid.errors import ConfigError

KNOWN = {setting.name: setting for setting in SETTINGS}
DB = PREFIX + "DB"
"""The command line's variable for the store. It wins over KEEPSAID_URL unless it is empty."""
VARIABLES = {setting.variable: setting.name for setting in SETTINGS} | {DB: "url"}
"""The setting of each environment variable."""


KEYS = ("key", "key_file")


class Origin(NamedTuple):
    """A setting in effect, and where it comes from: "default", a variable's name, a file's name, or "argument".

    >>> Origin("sessions_limit", 5, "KEEPSAID_SESSIONS_LIMIT").where
    'KEEPSAID_SESSIONS_LIMIT'
    """

    name: str
    value: Any
    where: str


def load(arguments: Mapping[str, Any], environment: Mapping[str, str], file: str | Path | None = None) -> Settings:
    """Return the settings from all sources: arguments win over the environment, which wins over the file.

    >>> load({"sessions_limit": 5}, {"KEEPSAID_SESSIONS_LIMIT": "7", "KEEPSAID_DURABLE": "off"})
    ... # doctest: +ELLIPSIS
    Settings(url='', ..., durable=False, ..., sessions_limit=5, ..., key=None, ..., jwt_secret=None)
    """
    return Settings(**{name: value for name, (value, _) in _given(arguments, environment, file).items()})


def origins(arguments: Mapping[str, Any], environment: Mapping[str, str], file: str | Path | None = None) -> list[Origin]:
    """Return every setting in effect and where it comes from, in the order of `SETTINGS`.

    >>> [origin for origin in origins({}, {"KEEPSAID_SESSIONS_LIMIT": "7"}) if origin.where != "default"]
    [Origin(name='sessions_limit', value=7, where='KEEPSAID_SESSIONS_LIMIT')]
    """
    given = _given(arguments, environment, file)
    return [
        Origin(setting.name, *given.get(setting.name, (getattr(DEFAULTS, setting.name), "default"))) for setting in SETTINGS
    ]


def _given(
    arguments: Mapping[str, Any], environment: Mapping[str, str], file: str | Path | None
) -> dict[str, tuple[Any, str]]:
    """Return every setting that a source sets, parsed, with its origin."""
    values: dict[str, tuple[Any, str]] = {}
    for source in _sources(arguments, environment, file or environment.get(PREFIX + "CONFIG")):
        if any(name in KEYS for name, _, _ in source):
            # `key` and `key_file` exclude each other: the source with the highest priority that sets either wins.
            values = {name: value for name, value in values.items() if name not in KEYS}
        read = {name: (_read(name, value, where), where) for name, value, where in source}
        # A setting in the same source wins over a preset; one from a source of lower priority does not.
        values |= _preset_days(read) | read
    return values


def _preset_days(read: Mapping[str, tuple[Any, str]]) -> dict[str, tuple[Any, str]]:
    """Return the settings that a source's retention preset stands for."""
    if "retention_preset" not in read:
        return {}
    preset, where = read["retention_preset"]
    return {name: (days, where) for name, days in zip(RETENTION_DAYS, RETENTION_PRESETS[preset], strict=True)}


def _sources(
    arguments: Mapping[str, Any], environment: Mapping[str, str], file: str | Path | None
) -> Iterator[list[tuple[str, Any, str]]]:
    """Yield the settings (name, value, origin) of each source, the lowest priority first."""
    if file:
        yield [(name, value, str(file)) for name, value in read_file(Path(file)).items()]
    # Other programs may use the same prefix, so an unknown variable is not an error.
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
        advice = f"did you mean {near[0]!r}?" if near else f"the settings are {', '.join(KNOWN)}"
        raise ConfigError(f"there is no setting {name!r}{place}; {advice}")
    if value is None and getattr(DEFAULTS, name) is None:
        return None
    try:
        return KNOWN[name].parse(value)
    except (ValueError, TypeError) as error:
        shown = "***" if name in SECRETS else repr(value)
        raise ConfigError(f"{name}{place} is {shown}: {error}") from None
