"""Pools of the in-memory storage."""

from __future__ import annotations

import secrets

from keepsaid.errors import Conflict
from keepsaid.storage.inmemory.partition import MemoryPartition
from keepsaid.storage.inmemory.state import MemoryState
from keepsaid.types import ChangePosition, Microseconds, PoolAccess, PoolGrant, Scope


class MemoryPools(MemoryState):
    """The part of the in-memory storage for pools and their grants."""

    def create_pool(self, pool: str, name: str, owner: str, now: Microseconds) -> None:
        with self._lock:
            self._spaces["pool", pool] = MemoryPartition(name=name, last=ChangePosition(life=secrets.randbits(52) | 1))
            self._grants[pool, owner] = PoolAccess.ADMIN
            self._notify_commit()

    def grant(self, pool: str, by: str, owner: str, access: PoolAccess | None, now: Microseconds) -> None:
        with self._lock:
            leaving = by == owner and access is None
            self._space(Scope(by, None, pool), PoolAccess.READ if leaving else PoolAccess.ADMIN)
            admins = {holder for (of, holder), level in self._grants.items() if of == pool and level == PoolAccess.ADMIN}
            if access != PoolAccess.ADMIN and admins == {owner}:
                raise Conflict("a pool needs an admin: grant admin to someone else first, or erase the pool")
            if access is None:
                self._grants.pop((pool, owner), None)
            else:
                self._grants[pool, owner] = access
            self._notify_commit()

    def grants(self, owner: str, pool: str | None = None) -> list[PoolGrant]:
        with self._lock:
            if pool is not None:
                self._space(Scope(owner, None, pool))
            found = [
                PoolGrant(of, holder, access, self._spaces["pool", of].name)
                for (of, holder), access in self._grants.items()
                if (of == pool if pool is not None else holder == owner)
            ]
            return sorted(found, key=lambda grant: (grant.pool, grant.owner))
