"""JSON Web Tokens of somebody else's sign-in (OIDC): checked by PyJWT, against a key that the settings name."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.config import Settings
from recollect.errors import ConfigError, MissingExtra
from recollect.server.access.principal import EVERYTHING, SEPARATOR, Principal

if TYPE_CHECKING:
    from jwt import PyJWKClient

SIGNED = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures by a key pair. A shared secret (HS256) is taken only where the settings give one."""
SHARED = ("HS256", "HS384", "HS512")
REST = 30.0
"""Seconds between two questions to an issuer."""
PATIENCE = 5


class Tokens:
    """Checks tokens. `sub`, or the claim that the settings name, is the owner."""

    def __init__(self, settings: Settings) -> None:
        try:
            import jwt
        except ImportError:
            raise MissingExtra("tokens need: pip install 'recollect[server]'") from None
        if not settings.jwt_audience:
            raise ConfigError("jwt_audience is not set: without it, a token that was made for another service would do")
        self._settings = settings
        self._jwt = jwt
        self._published: Published | None = None
        self._key: Any = None
        if settings.jwt_jwks_url:
            self._published = Published(jwt.PyJWKClient(settings.jwt_jwks_url, cache_jwk_set=False, timeout=PATIENCE))
        elif settings.jwt_key_file:
            self._key = _read(settings.jwt_key_file)
        else:
            self._key = settings.jwt_secret

    def check(self, token: str) -> Principal | None:
        """Whose token it is, if it is a good one. May ask the issuer for its keys: not for the event loop."""
        try:
            claims = self._claims(token)
        except self._jwt.PyJWTError:
            return None
        owner = claims.get(self._settings.jwt_owner_claim)
        # With a slash, it would be the user of a tenant.
        if not isinstance(owner, str) or not owner or SEPARATOR in owner:
            return None
        given = claims.get("scope", claims.get("scopes", "read write"))
        words = given.split() if isinstance(given, str) else [str(word) for word in given]
        return Principal(owner, EVERYTHING & set(words), "token", str(claims.get("iss", "")))

    def _claims(self, token: str) -> dict[str, Any]:
        key = self._key
        if self._published is not None:
            key = self._published.find(self._jwt.get_unverified_header(token).get("kid"))
        shared = self._settings.jwt_secret is not None and self._published is None and not self._settings.jwt_key_file
        return self._jwt.decode(
            token,
            key,
            algorithms=list(SHARED if shared else SIGNED),
            audience=self._settings.jwt_audience,
            issuer=self._settings.jwt_issuer,
            leeway=30,
            options={"require": ["exp", "aud"]},
        )


class Published:
    """The keys that an issuer publishes. They are asked for again when a token names one that is not known, but seldom:
    anybody can send tokens."""

    def __init__(self, client: PyJWKClient) -> None:
        self._client = client
        self._keys: dict[str | None, Any] = {}
        self._asked = -REST
        self._lock = threading.Lock()

    def find(self, id: str | None) -> Any:
        """The key of an id; `InvalidTokenError` if there is none."""
        import jwt

        with self._lock:
            if id not in self._keys and time.monotonic() - self._asked >= REST:
                self._asked = time.monotonic()
                self._keys = {key.key_id: key.key for key in self._client.get_signing_keys(refresh=True)}
            if id not in self._keys:
                raise jwt.InvalidTokenError("no such key")
            return self._keys[id]


def _read(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError as error:
        raise ConfigError(f"cannot read the token key file: {error}") from None
