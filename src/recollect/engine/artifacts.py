"""By which words artifacts are found, what a label gave, and which artifacts can be worked with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.engine.hygiene import clean_name, clean_text
from recollect.engine.languages import detect_language
from recollect.engine.stopwords import STOP_TERMS, telling
from recollect.engine.terms import terms
from recollect.errors import InvalidInput
from recollect.types import Artifact, ArtifactKind, Session

SEARCHED = ("fact", "tool")
"""The kinds that are found by their words."""


def found_by(kind: ArtifactKind, text: str, data: Mapping[str, Any]) -> list[str]:
    """The terms of an artifact: its text's and, of a fact, those of what it is about, by which a newer one finds it.

    Words of another language have their stems in it and in English: a fact is found by a question and by a newer fact.

    >>> found_by("fact", "User lives in Porto", {"about": "home"})
    ['user', 'live', 'porto', 'home']
    """
    if kind not in SEARCHED:
        return []
    about = data.get("about")
    whole = f"{text} {about}" if isinstance(about, str) else text
    language = detect_language(text)
    if language is None or language == "en":
        return telling(terms(whole))
    own = [term for term in telling(terms(text, language), language) if term not in STOP_TERMS]
    return list(dict.fromkeys((*own, *telling(terms(whole)))))


def without_label(session: Session, label: Artifact) -> dict[str, Any]:
    """The changes that take a label's title and tags off a session again, as far as they are still the label's own.

    >>> from recollect.types import Status
    >>> trip = Session("s1", "u1", "Trip", 0, 0, 0, Status.ACTIVE, 0, 0, False, 1, 0, None, None, None, ("mine",), {})
    >>> without_label(trip, Artifact("a1", "label", "Trip", 1, 0, data={"tags": ["travel"]}))
    {'title': None}
    """
    return {
        **({"title": None} if session.title == label.text else {}),
        **({"tags": ()} if session.tags and list(session.tags) == label.data["tags"] else {}),
    }


DATA: dict[ArtifactKind, dict[str, tuple[type, ...]]] = {
    "fact": {"kind": (str,), "subject": (str,), "about": (str,), "value": (str,), "confidence": (int, float)},
    "tool": {"tool": (str, type(None)), "source": (str, type(None))},
    "label": {"tags": (list,)},
    "summary": {"digest": (dict,)},
}
"""What the data of an artifact has, by its kind."""


def is_well_formed(artifact: Artifact) -> bool:
    """Whether an artifact that comes from elsewhere is one that we could have made.

    >>> is_well_formed(Artifact("a1", "label", "Trip", 1, 0, data={"tags": ["travel"]}))
    True
    >>> is_well_formed(Artifact("a1", "summary", "Went to Lisbon.", 4, 0))
    False
    """
    wanted = DATA.get(artifact.kind)
    if wanted is None or any(not isinstance(artifact.data.get(name, ...), kinds) for name, kinds in wanted.items()):
        return False
    try:
        clean_name(artifact.id, "id")
        clean_text(artifact.text)
        _read(artifact)
    except (InvalidInput, KeyError, TypeError, ValueError, AttributeError, IndexError):
        return False
    return True


def _read(artifact: Artifact) -> None:
    """Reads what is nested in the data, as those do who work with it."""
    if artifact.kind == "label":
        for tag in artifact.data["tags"]:
            clean_name(tag, "tag")
    elif artifact.kind == "summary":
        from recollect.engine.digest import unpack

        unpack(artifact.data["digest"])
