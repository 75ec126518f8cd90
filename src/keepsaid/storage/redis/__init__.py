"""Redis and Redis Cluster as ledgers. Needs `pip install 'keepsaid[redis]'`."""

from keepsaid.errors import MissingExtra

try:
    import redis as _redis  # noqa: F401  # pyright: ignore[reportUnusedImport]
except ImportError:
    raise MissingExtra("redis:// needs: pip install 'keepsaid[redis]'") from None

from keepsaid.storage.redis.ledger import RedisLedger
from keepsaid.storage.redis.options import RedisOptions

__all__ = ["RedisLedger", "RedisOptions"]
