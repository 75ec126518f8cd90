"""An application's own retriever, of whatever make."""

from types import SimpleNamespace

import pytest

from recollect.errors import InvalidInput, RetrieverError
from recollect.ports import Snippet
from recollect.retrievers import retriever_for


class Ours:
    def retrieve(self, question, limit):
        return [Snippet(f"{question} {number}", "guide.md", "page 3", 0.5) for number in range(limit)]


class OfLangChain:
    """Has `invoke` and returns documents."""

    def invoke(self, input, config=None, **kwargs):
        about = [{"source": "guide.pdf", "page": 3}, {"source": "guide.pdf", "page": 3, "page_label": "iv"}, {}]
        return [SimpleNamespace(page_content=input, metadata=each, id="1") for each in about]


class OfLlamaIndex:
    """Has `retrieve` without a limit, and returns nodes with scores."""

    def retrieve(self, str_or_query_bundle):
        node = SimpleNamespace(
            get_content=lambda: str_or_query_bundle, metadata={"file_name": "guide.md", "section": "Backup"}
        )
        return [SimpleNamespace(node=node, score=0.75), SimpleNamespace(node=node, score=None)]


def test_ours_gives_what_it_gives():
    assert retriever_for(Ours()).retrieve("tea", 2) == [
        Snippet("tea 0", "guide.md", "page 3", 0.5),
        Snippet("tea 1", "guide.md", "page 3", 0.5),
    ]


def test_langchain():
    assert retriever_for(OfLangChain()).retrieve("tea", 9) == [
        Snippet("tea", "guide.pdf", "page 3"),
        Snippet("tea", "guide.pdf", "page iv"),
        Snippet("tea", ""),
    ]


def test_llamaindex():
    assert retriever_for(OfLlamaIndex()).retrieve("tea", 9) == [
        Snippet("tea", "guide.md", "Backup", 0.75),
        Snippet("tea", "guide.md", "Backup", 0.0),
    ]


@pytest.mark.parametrize(
    ("answer", "snippet"),
    [
        ("tea", Snippet("tea", "")),
        (("tea", "guide.md"), Snippet("tea", "guide.md")),
        ({"text": "tea", "source": "guide.md", "place": "§ Tea", "score": 1}, Snippet("tea", "guide.md", "§ Tea", 1.0)),
        ({"content": "tea", "metadata": {"url": "guide.html", "page": 0}}, Snippet("tea", "guide.html", "page 0")),
    ],
)
def test_functions(answer, snippet):
    assert retriever_for(lambda question: [answer]).retrieve("tea", 3) == [snippet]
    assert retriever_for(lambda question: iter([answer, "", " ", answer])).retrieve("tea", 3) == [snippet, snippet]


def test_no_more_than_asked_for_and_not_for_ever():
    def endless(question):
        while True:
            yield "tea"

    assert len(retriever_for(endless).retrieve("tea", 2)) == 2
    assert retriever_for(lambda question: []).retrieve("tea", 2) == []


def fails(question):
    raise KeyError("no index")


def fails_late(question):
    yield "tea"
    raise KeyError("no index")


@pytest.mark.parametrize(
    ("asked", "what"),
    [
        (fails, "the retriever failed: KeyError: 'no index'"),
        (fails_late, "the retriever failed: KeyError: 'no index'"),
        (lambda question: "one text", "a single answer"),
        (lambda question: {"text": "tea"}, "a single answer"),
        (lambda question: None, "the retriever failed: TypeError"),
        (lambda question: [5], "neither `page_content` nor"),
        (lambda question: [{"source": "guide.md", "text": 5}], "must be a string"),
        (lambda question: [("tea",)], "no text with a source"),
        (lambda question: ["half \ud800 a pair"], "surrogate"),
        (lambda question: [{"text": "tea", "score": "good"}], "no text with a source"),
    ],
)
def test_whatever_goes_wrong_is_one_error(asked, what):
    with pytest.raises(RetrieverError, match=what):
        retriever_for(asked).retrieve("tea", 3)


@pytest.mark.parametrize("anything", [None, "a name", 5, object()])
def test_what_is_none_is_refused_at_once(anything):
    with pytest.raises(InvalidInput, match="is no retriever"):
        retriever_for(anything)
