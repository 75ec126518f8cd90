"""A copy of everything, from any backend to any other."""

from recollect.copier.copier import Copier
from recollect.copier.report import LEFT_BEHIND, CopyReport

__all__ = ["LEFT_BEHIND", "Copier", "CopyReport"]
