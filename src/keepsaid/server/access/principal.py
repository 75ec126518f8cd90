"""The authenticated principal of a request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from keepsaid.engine.messages.validation import clean_name
from keepsaid.server.problems import FORBIDDEN, RequestRefusal

READ, WRITE, ADMIN = "read", "write", "admin"
ALL_SCOPES = frozenset((READ, WRITE, ADMIN))
TENANT_SEPARATOR = "/"
"""Separates tenant and user in an owner's name. No tenant's name contains it, so two tenants never share an owner."""


@dataclass(frozen=True, slots=True)
class RequestPrincipal:
    """The sender of a request, by its credential. A service has a tenant and no owner, until it names the user it acts for.

    >>> RequestPrincipal("ann", frozenset({"read"}), "key", "k1").owner
    'ann'
    """

    owner: str | None
    scopes: frozenset[str]
    via: Literal["loopback", "key", "token"]
    name: str
    """The key's id or the token's issuer, for the log."""
    tenant: str | None = None

    def acting_for(self, user: str | None) -> RequestPrincipal:
        """Return the principal for the named user. Only a service may act for others, and only for users of its tenant.

        >>> service = RequestPrincipal(None, frozenset({"read"}), "key", "k2", tenant="acme")
        >>> service.acting_for("ann").owner
        'acme/ann'
        """
        if user is None:
            return self
        if self.tenant is not None:
            owner = clean_name(self.tenant + TENANT_SEPARATOR + clean_name(user, "user"), "user")
            return RequestPrincipal(owner, self.scopes, self.via, self.name, self.tenant)
        if user == self.owner:
            return self
        raise RequestRefusal(FORBIDDEN, "this credential belongs to one user and cannot act for another")
