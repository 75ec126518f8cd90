"""Who is asking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from recollect.engine.hygiene import clean_name
from recollect.server.problems import FORBIDDEN, Refusal

READ, WRITE, ADMIN = "read", "write", "admin"
EVERYTHING = frozenset((READ, WRITE, ADMIN))
SEPARATOR = "/"
"""Between a tenant and its user in an owner's name. No tenant's name has one, so no two tenants can mean one owner."""


@dataclass(frozen=True, slots=True)
class Principal:
    """Whoever sent a request, by its credential. A service has a tenant and no owner, until it names the user it acts for.

    >>> Principal("ann", frozenset({"read"}), "key", "k1").owner
    'ann'
    """

    owner: str | None
    scopes: frozenset[str]
    via: Literal["loopback", "key", "token"]
    name: str
    """The key's id or the token's issuer, for the log."""
    tenant: str | None = None

    def acting_for(self, user: str | None) -> Principal:
        """The same, as the user it names. Only a service may, and only for users of its own tenant.

        >>> service = Principal(None, frozenset({"read"}), "key", "k2", tenant="acme")
        >>> service.acting_for("ann").owner
        'acme/ann'
        """
        if user is None:
            return self
        if self.tenant is not None:
            owner = clean_name(self.tenant + SEPARATOR + clean_name(user, "user"), "user")
            return Principal(owner, self.scopes, self.via, self.name, self.tenant)
        if user == self.owner:
            return self
        raise Refusal(FORBIDDEN, "this credential is one user's: it acts for nobody else")
