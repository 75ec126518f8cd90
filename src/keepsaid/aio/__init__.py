"""The verbs for `await`: each runs the sync one in a worker thread, so there is one implementation.

`generated.py` is made by scripts/make_aio.py from the sync classes. Callers that wait for the disk at the same time share an
fsync.
"""

from keepsaid.aio.generated import AsyncBlobStore, AsyncChat, AsyncMemory
from keepsaid.aio.watch import AsyncWatch

__all__ = ["AsyncBlobStore", "AsyncChat", "AsyncMemory", "AsyncWatch"]
