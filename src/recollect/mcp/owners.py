"""Whose memory is meant: one owner's, as whoever starts the door says, or by bearer token. A model is never asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken

from recollect.engine.hygiene import clean_name
from recollect.errors import ConfigError, InvalidInput, NotFound

Whose = Callable[[], str]
"""Tells the owner of the request that is being answered."""

SHORTEST_TOKEN = 20
"""Characters; fewer could be guessed."""


def always(owner: str) -> Whose:
    """One owner, whoever asks.

    >>> always("ann")()
    'ann'
    """
    clean_name(owner, "owner")
    return lambda: owner


def by_token() -> str:
    """The owner whose token came with the request. Without one there is nobody: it never falls back on anybody."""
    token = get_access_token()
    if token is None or not token.subject:
        raise NotFound("this request has no token, so it is nobody's")
    return token.subject


class Tokens:
    """Knows whose memory a bearer token opens. It keeps hashes: who sees them has no token yet.

    >>> import asyncio
    >>> tokens = Tokens({"a-token-that-is-long-enough": "ann"})
    >>> asyncio.run(tokens.verify_token("a-token-that-is-long-enough")).subject
    'ann'
    >>> asyncio.run(tokens.verify_token("another-token-that-is-long"))
    """

    def __init__(self, owners: Mapping[str, str]) -> None:
        self._owners = {_digest(token): owner for token, owner in owners.items()}

    async def verify_token(self, token: str) -> AccessToken | None:
        """Who a token stands for, if it is known."""
        owner = self._owners.get(_digest(token))
        return None if owner is None else AccessToken(token=token, client_id=owner, scopes=[], subject=owner)


def read_tokens(path: Path) -> Tokens:
    """The tokens of a file: in each line a token and its owner. An owner may have several; a line that begins with # is a
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
        # No message shows the token: it would be in a log.
        _check(token, owner.strip(), f"{path}, line {number}")
        if token in owners:
            raise ConfigError(f"{path}, line {number}: this token is there already")
        owners[token] = owner.strip()
    if not owners:
        raise ConfigError(f"{path} has no tokens: a line is a token, a space, and the owner it is for")
    return Tokens(owners)


def _check(token: str, owner: str, where: str) -> None:
    if len(token) < SHORTEST_TOKEN or not token.isascii():
        cure = "`python -c 'import secrets; print(secrets.token_urlsafe(32))'` makes one"
        raise ConfigError(f"{where}: a token has at least {SHORTEST_TOKEN} ASCII characters; {cure}")
    # Whose memory it is, is not guessed: "bob # the builder" may be bob, but "team #1" and "team #2" are not one.
    if any(word.startswith("#") for word in owner.split()):
        raise ConfigError(f"{where}: no word of an owner begins with #; a comment has a line of its own")
    try:
        clean_name(owner, "owner")
    except InvalidInput as error:
        raise ConfigError(f"{where}: {error}") from None


def _digest(token: str) -> bytes:
    return sha256(token.encode("utf-8", "surrogatepass")).digest()
