"""Search terms of artifacts, removal of labels, and checks of imported artifacts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keepsaid.engine.languages import detect_language
from keepsaid.engine.messages.validation import clean_name, clean_text
from keepsaid.engine.text.stopwords import STOP_TERMS, content_words
from keepsaid.engine.text.terms import terms
from keepsaid.errors import InvalidInput
from keepsaid.types import Artifact, ArtifactKind, Session

SEARCHED = ("fact", "tool")
"""Kinds that are found by their words."""


def extract_artifact_terms(kind: ArtifactKind, text: str, data: Mapping[str, Any]) -> list[str]:
    """Return the search terms of an artifact: those of its text and, for a fact, of its topic, by which a newer fact finds
    it.

    For other languages, words are stemmed in that language and in English, so that both questions and newer facts match.

    >>> extract_artifact_terms("fact", "User lives in Porto", {"about": "home"})
    ['user', 'live', 'porto', 'home']
    """
    if kind not in SEARCHED:
        return []
    about = data.get("about")
    whole = f"{text} {about}" if isinstance(about, str) else text
    language = detect_language(text)
    if language is None or language == "en":
        return content_words(terms(whole))
    own = [term for term in content_words(terms(text, language), language) if term not in STOP_TERMS]
    return list(dict.fromkeys((*own, *content_words(terms(whole)))))


def build_label_removal(session: Session, label: Artifact) -> dict[str, Any]:
    """Return the changes that remove a label's title and tags from a session, if they are still those of the label.

    >>> from keepsaid.types import SessionStatus
    >>> trip = Session.new("s1", "u1", 0, title="Trip", tags=("mine",))
    >>> build_label_removal(trip, Artifact("a1", "label", "Trip", 1, 0, data={"tags": ["travel"]}))
    {'title': None}
    """
    return {
        **({"title": None} if session.title == label.text else {}),
        **({"tags": ()} if session.tags and list(session.tags) == label.data["tags"] else {}),
    }


REQUIRED_DATA: dict[ArtifactKind, dict[str, tuple[type, ...]]] = {
    "fact": {"kind": (str,), "subject": (str,), "about": (str,), "value": (str,), "confidence": (int, float)},
    "tool": {"tool": (str, type(None)), "source": (str, type(None))},
    "label": {"tags": (list,)},
    "summary": {"digest": (dict,)},
}
"""Required fields in the data of an artifact, by kind."""


def is_well_formed(artifact: Artifact) -> bool:
    """Whether an imported artifact is one that Keepsaid could have made.

    >>> is_well_formed(Artifact("a1", "label", "Trip", 1, 0, data={"tags": ["travel"]}))
    True
    >>> is_well_formed(Artifact("a1", "summary", "Went to Lisbon.", 4, 0))
    False
    """
    wanted = REQUIRED_DATA.get(artifact.kind)
    if wanted is None or any(not isinstance(artifact.data.get(name, ...), kinds) for name, kinds in wanted.items()):
        return False
    try:
        clean_name(artifact.id, "id")
        clean_text(artifact.text)
        _check_nested_data(artifact)
    except (InvalidInput, KeyError, TypeError, ValueError, AttributeError, IndexError):
        return False
    return True


def _check_nested_data(artifact: Artifact) -> None:
    """Read the nested data as its users do, to raise their errors."""
    if artifact.kind == "label":
        for tag in artifact.data["tags"]:
            clean_name(tag, "tag")
    elif artifact.kind == "summary":
        from keepsaid.engine.summary import unpack_summary

        unpack_summary(artifact.data["digest"])
