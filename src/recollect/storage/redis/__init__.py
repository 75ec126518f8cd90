"""Redis, and Redis Cluster, as a ledger. Needs `pip install 'recollect[redis]'`."""

from recollect.errors import MissingExtra

try:
    import redis as _redis  # noqa: F401  # pyright: ignore[reportUnusedImport]
except ImportError:
    raise MissingExtra("redis:// needs: pip install 'recollect[redis]'") from None

from recollect.storage.redis.ledger import RedisLedger
from recollect.storage.redis.options import RedisOptions

__all__ = ["RedisLedger", "RedisOptions"]
