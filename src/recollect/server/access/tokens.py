"""JSON Web Tokens of somebody else's sign-in (OIDC): checked by PyJWT, against a key that the settings name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.config import Settings
from recollect.errors import ConfigError, MissingExtra
from recollect.server.access.principal import EVERYTHING, Principal

if TYPE_CHECKING:
    from jwt import PyJWKClient

SIGNED = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures by a key pair. A shared secret (HS256) is taken only where the settings give one."""
SHARED = ("HS256", "HS384", "HS512")


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
        self._client: PyJWKClient | None = None
        self._key: Any = None
        if settings.jwt_jwks_url:
            self._client = jwt.PyJWKClient(settings.jwt_jwks_url, cache_keys=True, timeout=5)
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
        if not isinstance(owner, str) or not owner:
            return None
        given = claims.get("scope", claims.get("scopes", "read write"))
        words = given.split() if isinstance(given, str) else [str(word) for word in given]
        return Principal(owner, EVERYTHING & set(words), "token", str(claims.get("iss", "")))

    def _claims(self, token: str) -> dict[str, Any]:
        key = self._key if self._client is None else self._client.get_signing_key_from_jwt(token).key
        shared = self._settings.jwt_secret is not None and self._client is None and not self._settings.jwt_key_file
        return self._jwt.decode(
            token,
            key,
            algorithms=list(SHARED if shared else SIGNED),
            audience=self._settings.jwt_audience,
            issuer=self._settings.jwt_issuer,
            leeway=30,
            options={"require": ["exp", "aud"]},
        )


def _read(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError as error:
        raise ConfigError(f"cannot read the token key file: {error}") from None
