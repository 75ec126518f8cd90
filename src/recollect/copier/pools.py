"""Pools: made in the target with their grants; and whoever wrote something there may write it again.

A storage keeps as the author of a message whoever adds it, and lets only those add who may write. Some who wrote may no
longer: for as long as the copy takes they are let in, and at its end the grants are those of the source.
"""

from __future__ import annotations

from recollect.copier.whole import Pair, place
from recollect.errors import Conflict, NotFound
from recollect.ports import Storage
from recollect.types import Access, Grant, Microseconds, Scope

_LEVELS = (Access.READ, Access.WRITE, Access.ADMIN)


class Pools:
    """The pools of a copy."""

    def __init__(self, pair: Pair, now: Microseconds) -> None:
        self._pair = pair
        self._now = now
        self._access: dict[tuple[str, str], Access] = {}
        """What everybody may do in the target's pools by now."""

    def wrong(self) -> list[str]:
        """Pools that the target has otherwise: under another name, or without the admin of ours."""
        found: list[str] = []
        known = {scope.pool for scope in self._pair.target.everyone()} if self._pair.admins else set[str | None]()
        for pool, admin in self._pair.admins.items():
            mine = self._grants(self._pair.source, pool, admin)
            theirs = self._grants(self._pair.target, pool, admin)
            if theirs and (mine[admin].name, Access.ADMIN) != (theirs[admin].name, theirs[admin].access):
                found.append(f"{place(Scope(admin, None, pool))}: the target has another pool of this name")
            elif not theirs and pool in known:
                found.append(f"{place(Scope(admin, None, pool))}: in the target {admin!r} is no member of it")
        return found

    def _grants(self, storage: Storage, pool: str, admin: str) -> dict[str, Grant]:
        try:
            return {grant.owner: grant for grant in storage.grants(admin, pool)}
        except NotFound:
            return {}

    def begin(self) -> None:
        """Makes the pools that are not there."""
        for pool, admin in self._pair.admins.items():
            there = self._grants(self._pair.target, pool, admin)
            if not there:
                name = self._grants(self._pair.source, pool, admin)[admin].name
                self._pair.target.create_pool(pool, name, admin, self._now)
                self._access[pool, admin] = Access.ADMIN
            self._access |= {(pool, owner): grant.access for owner, grant in there.items()}

    def writing(self, scope: Scope, author: str | None) -> Scope:
        """The scope of somebody who wrote in it; without an author, or in one's own memory, the same."""
        return self._as(scope, author, Access.WRITE)

    def reading(self, scope: Scope, author: str | None) -> Scope:
        """The scope of somebody who was given something in it."""
        return self._as(scope, author, Access.READ)

    def _as(self, scope: Scope, author: str | None, need: Access) -> Scope:
        if scope.pool is None or not author:
            return scope
        has = self._access.get((scope.pool, author))
        if has is None or _LEVELS.index(has) < _LEVELS.index(need):
            self._pair.target.grant(scope.pool, self._pair.admins[scope.pool], author, need, self._now)
            self._access[scope.pool, author] = need
        return scope._replace(owner=author)

    def settle(self) -> None:
        """Gives everybody the grants that he has in the source, and nobody another one."""
        for pool, admin in self._pair.admins.items():
            mine = self._grants(self._pair.source, pool, admin)
            there = self._grants(self._pair.target, pool, admin)
            for owner, grant in mine.items():
                own = {one.pool: one.access for one in self._pair.target.grants(owner)}
                if owner not in there or (there[owner].access, own.get(pool)) != (grant.access, grant.access):
                    self._pair.target.grant(pool, admin, owner, grant.access, self._now)
            for owner in there.keys() - mine.keys():
                self._pair.target.grant(pool, admin, owner, None, self._now)

    def behind(self) -> list[str]:
        """Pools whose members are others in the target."""
        found: list[str] = []
        for pool, admin in self._pair.admins.items():
            mine = {owner: one.access for owner, one in self._grants(self._pair.source, pool, admin).items()}
            theirs = {owner: one.access for owner, one in self._grants(self._pair.target, pool, admin).items()}
            if mine != theirs:
                found.append(f"{place(Scope(admin, None, pool))}: grants are still to come")
        return found


def refuse(wrong: list[str], hint: str) -> None:
    """Raises a `Conflict` that names the first few of what is wrong."""
    if wrong:
        more = f" (and {len(wrong) - 3} more)" if len(wrong) > 3 else ""
        raise Conflict(f"{'; '.join(wrong[:3])}{more}: {hint}")
