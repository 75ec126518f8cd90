"""Create pools in the target with their grants, and grant authors temporary access to copy what they wrote.

A storage records the caller as the author of a message, and only accepts messages from owners with write access. Some
authors no longer have access: they get it for each call that adds something of theirs. All others get the grants of the
source before anything is added.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager

from keepsaid.errors import Conflict, NotFound
from keepsaid.ports import Storage
from keepsaid.transfer.copy.storage_pair import StoragePair, describe_scope
from keepsaid.types import Microseconds, PoolAccess, PoolGrant, Scope

_LEVELS = (PoolAccess.READ, PoolAccess.WRITE, PoolAccess.ADMIN)


class PoolCopier:
    """The pools of a copy."""

    def __init__(self, pair: StoragePair, now: Microseconds) -> None:
        self._pair = pair
        self._now = now
        self._access: dict[tuple[str, str], PoolAccess] = {}
        """Access to the pools, by pool and owner."""

    def find_conflicts(self) -> list[str]:
        """Find pools that differ in the target: with another name, or without our admin."""
        found: list[str] = []
        known = {scope.pool for scope in self._pair.target.everyone()} if self._pair.admins else set[str | None]()
        for pool, admin in self._pair.admins.items():
            mine = self._grants(self._pair.source, pool, admin)
            theirs = self._grants(self._pair.target, pool, admin)
            if theirs and (mine[admin].name, PoolAccess.ADMIN) != (theirs[admin].name, theirs[admin].access):
                found.append(f"{describe_scope(Scope(admin, None, pool))}: the target has a different pool with this id")
            elif not theirs and pool in known:
                found.append(f"{describe_scope(Scope(admin, None, pool))}: in the target, {admin!r} is not a member")
        return found

    def _grants(self, storage: Storage, pool: str, admin: str) -> dict[str, PoolGrant]:
        try:
            return {grant.owner: grant for grant in storage.grants(admin, pool)}
        except NotFound:
            return {}

    def begin(self) -> None:
        """Create the missing pools with the grants of the source."""
        for pool, admin in self._pair.admins.items():
            there = self._grants(self._pair.target, pool, admin)
            if not there:
                name = self._grants(self._pair.source, pool, admin)[admin].name
                self._pair.target.create_pool(pool, name, admin, self._now)
        self.settle()

    def writer_scope(self, scope: Scope, author: str | None) -> AbstractContextManager[Scope]:
        """A context with the scope of an author who writes; without an author, or outside pools, the same scope."""
        return self._scope_of_author(scope, author, PoolAccess.WRITE)

    def reader_scope(self, scope: Scope, author: str | None) -> AbstractContextManager[Scope]:
        """A context with the scope of an author who only needs read access."""
        return self._scope_of_author(scope, author, PoolAccess.READ)

    @contextmanager
    def _scope_of_author(self, scope: Scope, author: str | None, need: PoolAccess) -> Generator[Scope]:
        """Grant an author the access that one call needs, and revoke it right after. A former member keeps the grant only if
        the copy is killed during that call."""
        if scope.pool is None or not author:
            yield scope
            return
        pool, admin = scope.pool, self._pair.admins[scope.pool]
        has = self._access.get((pool, author))
        if has is not None and _LEVELS.index(has) >= _LEVELS.index(need):
            yield scope._replace(owner=author)
            return
        self._pair.target.grant(pool, admin, author, need, self._now)
        try:
            yield scope._replace(owner=author)
        finally:
            self._pair.target.grant(pool, admin, author, has, self._now)

    def settle(self) -> None:
        """Make the grants in the target equal to those in the source."""
        for pool, admin in self._pair.admins.items():
            mine = self._grants(self._pair.source, pool, admin)
            there = self._grants(self._pair.target, pool, admin)
            self._access |= {(pool, owner): grant.access for owner, grant in mine.items()}
            for owner, grant in mine.items():
                own = {one.pool: one.access for one in self._pair.target.grants(owner)}
                if owner not in there or (there[owner].access, own.get(pool)) != (grant.access, grant.access):
                    self._pair.target.grant(pool, admin, owner, grant.access, self._now)
            for owner in there.keys() - mine.keys():
                self._pair.target.grant(pool, admin, owner, None, self._now)

    def find_missing_grants(self) -> list[str]:
        """Find pools whose grants differ in the target."""
        found: list[str] = []
        for pool, admin in self._pair.admins.items():
            mine = {owner: one.access for owner, one in self._grants(self._pair.source, pool, admin).items()}
            theirs = {owner: one.access for owner, one in self._grants(self._pair.target, pool, admin).items()}
            if mine != theirs:
                found.append(f"{describe_scope(Scope(admin, None, pool))}: grants are not copied yet")
        return found


def raise_conflicts(wrong: list[str], hint: str) -> None:
    """Raise a `Conflict` that names the first few problems, if there are any."""
    if wrong:
        more = f" (and {len(wrong) - 3} more)" if len(wrong) > 3 else ""
        raise Conflict(f"{'; '.join(wrong[:3])}{more}: {hint}")
