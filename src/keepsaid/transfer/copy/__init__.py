"""A copy of everything, from any backend to any other."""

from keepsaid.transfer.copy.copier import StoreCopier
from keepsaid.transfer.copy.report import NOT_COPIED, CopyReport

__all__ = ["NOT_COPIED", "CopyReport", "StoreCopier"]
