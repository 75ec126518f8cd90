"""What whoever runs the Redis should know: whether it keeps anything on a disk, and whether it throws anything away."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol, cast

from redis.exceptions import RedisError, ResponseError

from recollect.errors import ConfigError
from recollect.storage.redis.faults import passes
from recollect.storage.redis.options import RedisOptions

OLDEST = (6, 2)

UNKNOWN = "this Redis does not say whether it keeps anything on a disk: make sure that it does (appendonly yes)"
NOTHING = "this Redis keeps nothing on a disk: a restart loses everything (appendonly yes would keep it)"
SNAPSHOTS = "this Redis writes to its disk now and then only: a crash loses what came since (appendonly yes would keep it)"
EVICTS = "this Redis throws keys away when it is full (maxmemory-policy {}): set it to noeviction"


class Talkative(Protocol):
    """A server that can be asked about itself."""

    def info(self) -> Mapping[str, Any]: ...
    def config_get(self, pattern: str) -> Mapping[Any, Any]: ...


class About(NamedTuple):
    """What a server says of itself; None where it does not tell."""

    version: str | None = None
    cluster: bool | None = None
    appends: bool | None = None
    snapshots: bool | None = None
    policy: str = "noeviction"
    limited: bool = False


def ask(server: Any) -> About:
    """Asks a server; what it forbids to ask stays unknown."""
    talkative = cast("Talkative", server)
    try:
        info = talkative.info()
    except ResponseError as error:
        _raise_if_passing(error)
        return About()
    return About(
        version=_text(info, "redis_version"),
        cluster=_flag(info, "cluster_enabled"),
        appends=_flag(info, "aof_enabled"),
        snapshots=_snapshots(talkative),
        policy=_text(info, "maxmemory_policy") or "noeviction",
        limited=bool(_flag(info, "maxmemory")),
    )


def _snapshots(server: Talkative) -> bool | None:
    try:
        found = server.config_get("save")
    except ResponseError as error:
        _raise_if_passing(error)
        return None
    return any(bool(value) for value in found.values()) if found else None


def _raise_if_passing(error: RedisError) -> None:
    if passes(error):
        raise error


def _text(info: Mapping[str, Any], name: str) -> str | None:
    return str(info[name]) if name in info else None


def _flag(info: Mapping[str, Any], name: str) -> bool | None:
    return bool(int(info[name])) if name in info else None


def check(about: About, options: RedisOptions) -> None:
    """Refuses what cannot be worked with.

    >>> check(About(version="5.0.7"), RedisOptions())
    Traceback (most recent call last):
    ...
    recollect.errors.ConfigError: this is Redis 5.0.7; 6.2 or later is needed
    """
    if about.version is not None:
        major, minor = (int(part) for part in about.version.split(".")[:2])
        if (major, minor) < OLDEST:
            raise ConfigError(f"this is Redis {about.version}; 6.2 or later is needed")
    if about.cluster and not options.cluster:
        raise ConfigError("this Redis is part of a cluster: add cluster=true to the URL")


def warnings(about: About, options: RedisOptions) -> list[str]:
    """Sentences for whoever runs the server.

    >>> warnings(About(appends=False, snapshots=False), RedisOptions()) == [NOTHING]
    True
    >>> warnings(About(appends=True, policy="allkeys-lru", limited=True), RedisOptions())
    ['this Redis throws keys away when it is full (maxmemory-policy allkeys-lru): set it to noeviction']
    """
    found: list[str] = []
    if about.appends is None or (not about.appends and about.snapshots is None):
        found.append(UNKNOWN)
    elif not about.appends:
        found.append(SNAPSHOTS if about.snapshots else NOTHING)
    evictable = about.policy.startswith("allkeys") or (options.expire_days is not None and about.policy != "noeviction")
    if about.limited and evictable:
        found.append(EVICTS.format(about.policy))
    return found
