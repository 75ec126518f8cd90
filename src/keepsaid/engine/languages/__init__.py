"""Language support: language detection, and the word lists of each language."""

from keepsaid.engine.languages.detect import detect_language, foreign_language
from keepsaid.engine.languages.questions import is_first_person
from keepsaid.engine.languages.registry import LANGUAGES

__all__ = ["LANGUAGES", "detect_language", "foreign_language", "is_first_person"]
