"""HTML: the visible text of a page, without the parts that are the same on every page of a site."""

from __future__ import annotations

from collections import Counter
from html.parser import HTMLParser

from keepsaid.engine.text.chunk_pieces import DocumentBlock
from keepsaid.reading.page import PageBuilder

_INVISIBLE = frozenset(
    "script style template noscript svg math iframe object canvas audio video select button textarea".split()
)
_NAVIGATION = frozenset(("nav", "footer"))
_MAIN = frozenset(("main", "article"))
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = frozenset(("ul", "ol", "menu"))
_PARAGRAPHS = frozenset(
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer "
    "form head header hr html legend main nav p section summary title".split()
)


def read_html(text: str) -> tuple[str, tuple[DocumentBlock, ...]]:
    """Return the page's title (or else its first heading) and its blocks. Broken pages are read as far as possible.

    >>> title, blocks = read_html("<title>Shop</title><nav>Home</nav><h2>Prices<p>Tea &amp; milk<table><tr><td>Tea<td>2 €")
    >>> title, [block.text for block in blocks]
    ('Shop', ['Prices', 'Tea & milk', 'Tea | 2 €'])
    """
    # A page may consist of navigation only, or never close it.
    page = _parse_page(text, _INVISIBLE | _NAVIGATION) or _parse_page(text, _INVISIBLE) or PageBuilder()
    headings = (block.text for block in page.blocks if block.kind == "heading")
    return page.title or next(headings, ""), tuple(page.blocks)


def _parse_page(text: str, unseen: frozenset[str]) -> PageBuilder | None:
    parser = _PageParser(unseen)
    parser.feed(_parseable(text))
    parser.close()
    parser.page.finish()
    return parser.page if parser.page.blocks else None


def _parseable(text: str) -> str:
    """Return the page without what Python's parser cannot handle: unknown marked sections stop it, and the time for unclosed
    tags and comments is quadratic in their number."""
    text = text.replace("<![", "<!")
    commented, mark, rest = text.rpartition("-->")
    text = commented + mark + rest.replace("<!--", "")
    tagged, mark, rest = text.rpartition(">")
    return tagged + mark + rest.replace("<", "&lt;")


class _PageParser(HTMLParser):
    """Tracks open elements, and writes text outside of invisible ones to a page."""

    def __init__(self, unseen: frozenset[str]) -> None:
        super().__init__(convert_charrefs=True)
        self.page = PageBuilder()
        self._unseen = unseen
        self._open: list[str] = []
        self._opened: Counter[str] = Counter()
        self._hidden_from: int | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Handle a start tag."""
        if self._hidden_from is not None and tag in _MAIN and self._open[self._hidden_from] in _NAVIGATION:
            # The main text begins, so this navigation was never closed.
            self._close_down_to(self._hidden_from)
        if self._hidden_from is None:
            self._begin(tag)
        if tag in _VOID:
            return
        if self._hidden_from is None and (tag in self._unseen or _is_hidden(attrs)):
            self._hidden_from = len(self._open)
        self._open.append(tag)
        self._opened[tag] += 1

    def handle_endtag(self, tag: str) -> None:
        """Handle an end tag, which also ends the elements left open inside."""
        if not self._opened[tag]:
            return
        if self._hidden_from is None:
            self._end(tag)
        at = len(self._open) - 1
        while self._open[at] != tag:
            at -= 1
        self._close_down_to(at)

    def handle_data(self, data: str) -> None:
        """Handle text."""
        if self._hidden_from is None:
            self.page.write(data)

    def _close_down_to(self, depth: int) -> None:
        for tag in self._open[depth:]:
            self._opened[tag] -= 1
        del self._open[depth:]
        if self._hidden_from is not None and self._hidden_from >= depth:
            self._hidden_from = None

    def _begin(self, tag: str) -> None:
        if tag in _HEADINGS:
            self.page.set_heading(_HEADINGS[tag])
        elif tag == "table":
            self.page.finish()
        elif tag == "pre":
            self.page.set_code(True)
        elif tag in _LISTS:
            self.page.begin_list(numbered=tag == "ol")
        elif tag == "li":
            self.page.begin_item()
        elif tag == "tr":
            self.page.set_row(True)
        elif tag in ("td", "th"):
            self.page.begin_cell()
        elif tag == "br":
            self.page.line_break()
        elif tag in _PARAGRAPHS:
            self.page.end_paragraph()

    def _end(self, tag: str) -> None:
        if tag in _HEADINGS:
            self.page.set_heading(0)
        elif tag == "title":
            self.page.end_title()
        elif tag == "table":
            self.page.finish()
        elif tag == "pre":
            self.page.set_code(False)
        elif tag in _LISTS:
            self.page.end_list()
        elif tag == "tr":
            self.page.set_row(False)
        elif tag in _PARAGRAPHS:
            self.page.end_paragraph()


def _is_hidden(attributes: list[tuple[str, str | None]]) -> bool:
    """Whether an element is hidden. Hidden text is not read: it may be there to mislead a model."""
    for name, value in attributes:
        if name == "hidden" or (name == "style" and "display:none" in (value or "").replace(" ", "").lower()):
            return True
    return False
