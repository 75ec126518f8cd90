"""What the engine knows of languages: how to tell them apart, and the words of each that it needs."""

from recollect.engine.languages.detect import detect_language, foreign_language
from recollect.engine.languages.questions import is_first_person
from recollect.engine.languages.registry import LANGUAGES

__all__ = ["LANGUAGES", "detect_language", "foreign_language", "is_first_person"]
