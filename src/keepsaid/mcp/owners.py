"""The owner of a request: a fixed one, or the one of a bearer token, but never an argument of a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken

from keepsaid.engine.messages.validation import clean_name
from keepsaid.errors import ConfigError, InvalidInput, NotFound

OwnerResolver = Callable[[], str]
"""Returns the owner of the current request."""

MIN_TOKEN_LENGTH = 20
"""The fewest characters of a token; shorter ones could be guessed."""


def fixed_owner(owner: str) -> OwnerResolver:
    """Return a resolver that always returns one owner.

    >>> fixed_owner("ann")()
    'ann'
    """
    clean_name(owner, "owner")
    return lambda: owner


def owner_of_token() -> str:
    """Return the owner of the request's token. Raise without a token: there is no default owner."""
    token = get_access_token()
    if token is None or not token.subject:
        raise NotFound("this request has no token, and so no owner")
    return token.subject


class BearerTokens:
    """Maps bearer tokens to owners. It stores only hashes, from which no token can be recovered.

    >>> import asyncio
    >>> tokens = BearerTokens({"a-token-that-is-long-enough": "ann"})
    >>> asyncio.run(tokens.verify_token("a-token-that-is-long-enough")).subject
    'ann'
    >>> asyncio.run(tokens.verify_token("another-token-that-is-long"))
    """

    def __init__(self, owners: Mapping[str, str]) -> None:
        self._owners = {_digest(token): owner for token, owner in owners.items()}

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the access of a known token, otherwise None."""
        owner = self._owners.get(_digest(token))
        return None if owner is None else AccessToken(token=token, client_id=owner, scopes=[], subject=owner)


def read_tokens(path: Path) -> BearerTokens:
    """Read a token file: each line has a token and its owner. An owner may have several; a line that begins with # is a
    comment."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read the token file: {error}") from None
    owners: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        token, owner = [*line.split(maxsplit=1), "", ""][:2]
        if not token or token.startswith("#"):
            continue
        # No error message shows the token: it would end up in a log.
        _check(token, owner.strip(), f"{path}, line {number}")
        if token in owners:
            raise ConfigError(f"{path}, line {number}: this token appears twice")
        owners[token] = owner.strip()
    if not owners:
        raise ConfigError(f"{path} has no tokens: a line has a token, a space, and its owner")
    return BearerTokens(owners)


def _check(token: str, owner: str, where: str) -> None:
    if len(token) < MIN_TOKEN_LENGTH or not token.isascii():
        hint = "`python -c 'import secrets; print(secrets.token_urlsafe(32))'` makes one"
        raise ConfigError(f"{where}: a token has at least {MIN_TOKEN_LENGTH} ASCII characters; {hint}")
    # The owner is never guessed: "bob # the builder" may mean bob, but "team #1" and "team #2" are different owners.
    if any(word.startswith("#") for word in owner.split()):
        raise ConfigError(f"{where}: no word of an owner may begin with #; put a comment on its own line")
    try:
        clean_name(owner, "owner")
    except InvalidInput as error:
        raise ConfigError(f"{where}: {error}") from None


def _digest(token: str) -> bytes:
    return sha256(token.encode("utf-8", "surrogatepass")).digest()
