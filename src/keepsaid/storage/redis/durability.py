"""Checks of a Redis server's settings: whether it persists data to disk, and whether it evicts keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol, cast

from redis.exceptions import RedisError, ResponseError

from keepsaid.errors import ConfigError
from keepsaid.storage.redis.errors import is_transient
from keepsaid.storage.redis.options import RedisOptions

OLDEST = (6, 2)

UNKNOWN_DURABILITY = "this Redis does not report whether it persists data to disk: make sure that it does (appendonly yes)"
NO_PERSISTENCE = "this Redis does not persist data to disk: a restart loses everything (set appendonly yes)"
SNAPSHOTS_ONLY = "this Redis writes only occasional snapshots to disk: a crash loses what came since (set appendonly yes)"
EVICTS_KEYS = "this Redis evicts keys when it is full (maxmemory-policy {}): set it to noeviction"


class InspectableServer(Protocol):
    """The part of a redis-py client that reports on the server."""

    def info(self) -> Mapping[str, Any]: ...
    def config_get(self, pattern: str) -> Mapping[Any, Any]: ...


class RedisServerInfo(NamedTuple):
    """What a server reports about itself; None where it does not."""

    version: str | None = None
    cluster: bool | None = None
    appends: bool | None = None
    snapshots: bool | None = None
    policy: str = "noeviction"
    limited: bool = False


def inspect_server(server: Any) -> RedisServerInfo:
    """Query a server. What its permissions do not allow stays unknown."""
    talkative = cast("InspectableServer", server)
    try:
        info = talkative.info()
    except ResponseError as error:
        _raise_if_passing(error)
        return RedisServerInfo()
    return RedisServerInfo(
        version=_text(info, "redis_version"),
        cluster=_flag(info, "cluster_enabled"),
        appends=_flag(info, "aof_enabled"),
        snapshots=_snapshots(talkative),
        policy=_text(info, "maxmemory_policy") or "noeviction",
        limited=bool(_flag(info, "maxmemory")),
    )


def _snapshots(server: InspectableServer) -> bool | None:
    try:
        found = server.config_get("save")
    except ResponseError as error:
        _raise_if_passing(error)
        return None
    return any(bool(value) for value in found.values()) if found else None


def _raise_if_passing(error: RedisError) -> None:
    if is_transient(error):
        raise error


def _text(info: Mapping[str, Any], name: str) -> str | None:
    return str(info[name]) if name in info else None


def _flag(info: Mapping[str, Any], name: str) -> bool | None:
    return bool(int(info[name])) if name in info else None


def check_supported(about: RedisServerInfo, options: RedisOptions) -> None:
    """Raise `ConfigError` for a server that is not supported.

    >>> check_supported(RedisServerInfo(version="5.0.7"), RedisOptions())
    Traceback (most recent call last):
    ...
    keepsaid.errors.ConfigError: this is Redis 5.0.7; 6.2 or later is needed
    """
    if about.version is not None:
        major, minor = (int(part) for part in about.version.split(".")[:2])
        if (major, minor) < OLDEST:
            raise ConfigError(f"this is Redis {about.version}; 6.2 or later is needed")
    if about.cluster and not options.cluster:
        raise ConfigError("this Redis is part of a cluster: add cluster=true to the URL")


def durability_warnings(about: RedisServerInfo, options: RedisOptions) -> list[str]:
    """Return warnings for the operator of the server.

    >>> durability_warnings(RedisServerInfo(appends=False, snapshots=False), RedisOptions()) == [NO_PERSISTENCE]
    True
    >>> durability_warnings(RedisServerInfo(appends=True, policy="allkeys-lru", limited=True), RedisOptions())
    ['this Redis evicts keys when it is full (maxmemory-policy allkeys-lru): set it to noeviction']
    """
    found: list[str] = []
    if about.appends is None or (not about.appends and about.snapshots is None):
        found.append(UNKNOWN_DURABILITY)
    elif not about.appends:
        found.append(SNAPSHOTS_ONLY if about.snapshots else NO_PERSISTENCE)
    evictable = about.policy.startswith("allkeys") or (options.expire_days is not None and about.policy != "noeviction")
    if about.limited and evictable:
        found.append(EVICTS_KEYS.format(about.policy))
    return found
