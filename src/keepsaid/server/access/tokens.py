"""JSON Web Tokens of an identity provider (OIDC): verified by PyJWT with the key of the settings."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from keepsaid.config import Settings
from keepsaid.errors import ConfigError, MissingExtra
from keepsaid.server.access.principal import ALL_SCOPES, TENANT_SEPARATOR, RequestPrincipal

if TYPE_CHECKING:
    from jwt import PyJWKClient

KEY_PAIR_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures by a key pair. A shared secret (HS256) is accepted only if the settings have one."""
SHARED_SECRET_ALGORITHMS = ("HS256", "HS384", "HS512")
REFRESH_INTERVAL = 30.0
"""Seconds between two requests to an issuer."""
ISSUER_TIMEOUT = 5


class JwtVerifier:
    """Verifies tokens. `sub`, or the claim that the settings name, is the owner."""

    def __init__(self, settings: Settings) -> None:
        try:
            import jwt
        except ImportError:
            raise MissingExtra("tokens need: pip install 'keepsaid[server]'") from None
        if not settings.jwt_audience:
            raise ConfigError("jwt_audience is not set: without it, a token issued for another service would be accepted")
        self._settings = settings
        self._jwt = jwt
        self._issuer_keys: IssuerKeyCache | None = None
        self._key: Any = None
        if settings.jwt_jwks_url:
            self._issuer_keys = IssuerKeyCache(
                jwt.PyJWKClient(settings.jwt_jwks_url, cache_jwk_set=False, timeout=ISSUER_TIMEOUT)
            )
        elif settings.jwt_key_file:
            self._key = _read_key(settings.jwt_key_file)
        else:
            self._key = settings.jwt_secret

    def check(self, token: str) -> RequestPrincipal | None:
        """Return the principal of a valid token, otherwise None. It may request the issuer's keys, so it must not run in the
        event loop."""
        try:
            claims = self._claims(token)
        except self._jwt.PyJWTError:
            return None
        owner = claims.get(self._settings.jwt_owner_claim)
        # A slash would make it the user of a tenant.
        if not isinstance(owner, str) or not owner or TENANT_SEPARATOR in owner:
            return None
        given = claims.get("scope", claims.get("scopes", "read write"))
        words = given.split() if isinstance(given, str) else [str(word) for word in given]
        return RequestPrincipal(owner, ALL_SCOPES & set(words), "token", str(claims.get("iss", "")))

    def _claims(self, token: str) -> dict[str, Any]:
        key = self._key
        if self._issuer_keys is not None:
            key = self._issuer_keys.find(self._jwt.get_unverified_header(token).get("kid"))
        shared = self._settings.jwt_secret is not None and self._issuer_keys is None and not self._settings.jwt_key_file
        return self._jwt.decode(
            token,
            key,
            algorithms=list(SHARED_SECRET_ALGORITHMS if shared else KEY_PAIR_ALGORITHMS),
            audience=self._settings.jwt_audience,
            issuer=self._settings.jwt_issuer,
            leeway=30,
            options={"require": ["exp", "aud"]},
        )


class IssuerKeyCache:
    """The keys that an issuer publishes. They are requested again when a token names an unknown one, but seldom: any client
    can send tokens."""

    def __init__(self, client: PyJWKClient) -> None:
        self._client = client
        self._keys: dict[str | None, Any] = {}
        self._requested_at = -REFRESH_INTERVAL
        self._lock = threading.Lock()

    def find(self, id: str | None) -> Any:
        """Return the key of an id; raise `InvalidTokenError` if there is none."""
        import jwt

        with self._lock:
            if id not in self._keys and time.monotonic() - self._requested_at >= REFRESH_INTERVAL:
                self._requested_at = time.monotonic()
                self._keys = {key.key_id: key.key for key in self._client.get_signing_keys(refresh=True)}
            if id not in self._keys:
                raise jwt.InvalidTokenError("no such key")
            return self._keys[id]


def _read_key(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError as error:
        raise ConfigError(f"cannot read the token key file: {error}") from None
