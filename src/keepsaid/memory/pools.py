"""The verbs for shared pools."""

from __future__ import annotations

from keepsaid.engine.messages.validation import clean_name, clean_text
from keepsaid.errors import InvalidInput
from keepsaid.memory.base import MemoryBase
from keepsaid.types import PoolAccess, PoolGrant


class PoolVerbs(MemoryBase):
    """The verbs for shared pools."""

    def create_pool(self, name: str, *, owner: str) -> str:
        """Create a shared memory and return its id. The owner becomes its admin and can grant access to others.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> team = memory.create_pool("team", owner="u1")
        >>> _ = memory.chat(owner="u1", pool=team).add("user", "The office code is 4711.")
        >>> memory.grant(team, to="u2", by="u1")
        >>> memory.search("office code", owner="u2", pool=team)[0].message.author
        'u1'
        """
        now = self._services.now()
        pool = self._services.new_id(now)
        self._services.storage.create_pool(pool, clean_text(name, "name"), clean_name(owner, "owner"), now)
        return pool

    def grant(self, pool: str, *, to: str, by: str, access: str = "read") -> None:
        """Allow an owner to read, write or administer a pool; `by` must be one of its admins.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> team = memory.create_pool("team", owner="u1")
        >>> memory.grant(team, to="u2", by="u1", access="write")
        >>> [str(grant.access) for grant in memory.pools(owner="u2")]
        ['write']
        """
        if access not in tuple(PoolAccess):
            raise InvalidInput(f"unknown access {access!r}: use one of {', '.join(PoolAccess)}")
        self._services.storage.grant(
            clean_name(pool, "pool"),
            clean_name(by, "owner"),
            clean_name(to, "owner"),
            PoolAccess(access),
            self._services.now(),
        )

    def revoke(self, pool: str, *, of: str, by: str) -> None:
        """Revoke an owner's access to a pool; `by` must be an admin, or the same owner.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> team = memory.create_pool("team", owner="u1")
        >>> memory.grant(team, to="u2", by="u1")
        >>> memory.revoke(team, of="u2", by="u2")
        >>> memory.pools(owner="u2")
        []
        """
        self._services.storage.grant(
            clean_name(pool, "pool"), clean_name(by, "owner"), clean_name(of, "owner"), None, self._services.now()
        )

    def pools(self, *, owner: str) -> list[PoolGrant]:
        """Return the pools that an owner has access to.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> _ = memory.create_pool("team", owner="u1")
        >>> [(grant.name, str(grant.access)) for grant in memory.pools(owner="u1")]
        [('team', 'admin')]
        """
        return self._services.storage.grants(clean_name(owner, "owner"))

    def members(self, pool: str, *, owner: str) -> list[PoolGrant]:
        """Return the members of a pool; `owner` must be one of them.

        >>> import keepsaid
        >>> memory = keepsaid.open("memory://")
        >>> team = memory.create_pool("team", owner="u1")
        >>> [grant.owner for grant in memory.members(team, owner="u1")]
        ['u1']
        """
        return self._services.storage.grants(clean_name(owner, "owner"), clean_name(pool, "pool"))
