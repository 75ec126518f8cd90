"""By which words artifacts are found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.engine.stopwords import telling
from recollect.engine.terms import terms
from recollect.types import ArtifactKind

SEARCHED = ("fact", "tool")
"""The kinds that are found by their words."""


def found_by(kind: ArtifactKind, text: str, data: Mapping[str, Any]) -> list[str]:
    """The terms of an artifact: its text's and, of a fact, those of what it is about, by which a newer one finds it.

    >>> found_by("fact", "User lives in Porto", {"about": "home"})
    ['user', 'live', 'porto', 'home']
    """
    if kind not in SEARCHED:
        return []
    about = data.get("about")
    return telling(terms(f"{text} {about}" if isinstance(about, str) else text))
