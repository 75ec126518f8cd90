"""Reading documents: plain text, Markdown, HTML and PDF."""

import codecs
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keepsaid.errors import InvalidInput, MissingExtra
from keepsaid.reading import DocumentBlock, read_document


def list_blocks(reading):
    """The blocks as a table: kind, place, text."""
    return [(block.kind, block.place, block.text) for block in reading.blocks]


def bare(text):
    return "".join(text.split())


class TestKinds:
    @pytest.mark.parametrize(
        ("name", "media_type", "place"),
        [
            ("a.md", None, "§ T"),
            ("a.MARKDOWN", None, "§ T"),
            ("a.txt", "text/markdown; charset=utf-8", "§ T"),
            ("a.md", "text/plain", "§ T"),
            ("a.md", "application/octet-stream", "§ T"),
            ("a.txt", None, "line 1"),
            ("a", None, "line 1"),
            ("a.md", "text/x-log", "line 1"),
            ("folder.md/a", None, "line 1"),
        ],
    )
    def test_media_type_takes_precedence_over_extension(self, name, media_type, place):
        assert read_document(name, "# T", media_type).blocks[0].place == place

    @pytest.mark.parametrize(
        "content", ["<!DOCTYPE html><p>x", b"\xef\xbb\xbf<html><p>x", '\n <?xml version="1.0"?>\n<html><p>x']
    )
    def test_html_is_detected_by_content(self, content):
        assert list_blocks(read_document("page", content)) == [("text", "", "x")]

    def test_code_and_csv_blocks_have_line_numbers(self):
        assert list_blocks(read_document("a.py", "def f():\n    pass\n\nf()")) == [
            ("code", "lines 1–2", "def f():\n    pass"),
            ("code", "line 4", "f()"),
        ]
        assert list_blocks(read_document("a.csv", b"a,b\n1,2")) == [("table", "lines 1–2", "a,b\n1,2")]
        assert read_document("a", "{}", "application/json").blocks[0].kind == "code"
        assert read_document("a", "{}", "application/ld+json").blocks[0].kind == "text"

    @pytest.mark.parametrize("media_type", ["image/png", "application/msword", "audio/mpeg"])
    def test_unsupported_media_type_error_suggests_formats(self, media_type):
        with pytest.raises(InvalidInput, match=f"report.x is {media_type}.*save it as PDF, HTML, Markdown or text"):
            read_document("folder/report.x", b"...", media_type)

    @pytest.mark.parametrize("content", [None, 7, ["text"]])
    def test_content_must_be_text_or_bytes(self, content):
        with pytest.raises(InvalidInput, match="bytes or a string"):
            read_document("a.txt", content)

    @pytest.mark.parametrize("name", ["", None, "a\0.txt"])
    def test_invalid_document_name_is_refused(self, name):
        with pytest.raises(InvalidInput, match="document name"):
            read_document(name, "text")

    @pytest.mark.parametrize("name", ["/home/ana/a.txt", "C:\\files\\a.txt"])
    def test_title_is_file_name_without_folder(self, name):
        assert read_document(name, "text").title == "a.txt"

    def test_empty_document_has_no_blocks(self):
        for name in ("a.txt", "a.md", "a.html"):
            assert read_document(name, b"").blocks == read_document(name, " \n\n ").blocks == ()


class TestPlain:
    def test_paragraphs_have_line_numbers(self):
        text = "\n\nOne\ntwo.\n \t\nThree.\n\n\n  Four\n"
        assert list_blocks(read_document("a.txt", text)) == [
            ("text", "lines 3–4", "One\ntwo."),
            ("text", "line 6", "Three."),
            ("text", "line 9", "  Four"),
        ]

    def test_all_line_endings_are_recognized(self):
        assert list_blocks(read_document("a.txt", "a\r\nb\rc\n\r\nd")) == [
            ("text", "lines 1–3", "a\nb\nc"),
            ("text", "line 5", "d"),
        ]

    @pytest.mark.parametrize(
        ("content", "notices"),
        [
            ("Zoë 東".encode(), 0),
            ("Zoë 東".encode("utf-8-sig"), 0),
            ("Zoë 東".encode("utf-16"), 0),
            (codecs.BOM_UTF16_BE + "Zoë 東".encode("utf-16-be"), 0),
            ("Zoë 東".encode("utf-32"), 0),
            ("\ufeffZoë 東", 0),
        ],
    )
    def test_unicode_encodings_are_detected(self, content, notices):
        reading = read_document("a.txt", content)
        assert (reading.blocks[0].text, len(reading.notices)) == ("Zoë 東", notices)

    def test_non_utf8_text_is_read_as_windows_1252(self):
        reading = read_document("a.txt", "Zoë – “café”".encode("cp1252") + b" \x81")
        assert reading.blocks[0].text == "Zoë – “café” \ufffd"
        assert reading.notices == (
            "a.txt is not UTF-8 and was read as Windows-1252",
            "bytes of a.txt that are not cp1252 became \ufffd: 1",
        )

    def test_utf8_with_an_invalid_byte_is_read_as_utf8(self):
        reading = read_document("a.txt", "Zoë, Chloë, Noël".encode() + b" \xff end")
        assert reading.blocks[0].text == "Zoë, Chloë, Noël \ufffd end"
        assert reading.notices == ("bytes of a.txt that are not utf-8 became \ufffd: 1",)

    def test_declared_charset_is_used_if_it_fits(self):
        assert read_document("a.txt", "東京".encode("shift_jis"), "text/plain; charset=Shift_JIS").blocks[0].text == "東京"
        assert read_document("a.txt", "東京".encode(), "text/plain; charset=ascii").blocks[0].text == "東京"
        for unknown in ("klingon", "zlib", "unicode_escape", "idna", "\0"):
            assert read_document("a.txt", b"a\\u0041", f"text/plain; charset={unknown}").blocks[0].text == "a\\u0041"

    def test_nul_and_surrogates_are_removed_and_counted(self):
        reading = read_document("a.txt", "a\0b\ud800c")
        assert reading.blocks[0].text == "abc"
        assert reading.notices[0].endswith("were removed: 2")

    @pytest.mark.parametrize(
        ("content", "what"),
        [
            (b"\x89PNG\r\n\x1a\n", "a picture"),
            (b"PK\x03\x04 rest", "an Office document"),
            (bytes(range(256)) * 4, "not text"),
            ("hello".encode("utf-16-le"), "UTF-16 without a byte order mark"),
        ],
    )
    def test_binary_files_are_refused(self, content, what):
        with pytest.raises(InvalidInput, match=f"a.bin is .*{what}.*save it as"):
            read_document("a.bin", content)


MANUAL = """\
---
title: "The manual"
tags:
  - one
---
Before any heading.

# Manual #

Intro, *with*
two lines.

Install
-------
1. one

   still one
2. two

```sh
# not a heading

make
```
### On [Linux](https://example.org) **and** `bsd`
| a | b |
|---|---|
| 1 | 2 |

    indented code

    more of it
Text again.
## Use
"""


class TestMarkdown:
    def test_blocks_have_kinds_and_heading_paths(self):
        reading = read_document("manual.md", MANUAL)
        assert reading.title == "The manual"
        deep = "§ Manual › Install › On Linux and bsd"
        assert list_blocks(reading) == [
            ("text", "line 6", "Before any heading."),
            ("heading", "§ Manual", "# Manual #"),
            ("text", "§ Manual", "Intro, *with*\ntwo lines."),
            ("heading", "§ Manual › Install", "Install\n-------"),
            ("list", "§ Manual › Install", "1. one\n\n   still one\n2. two"),
            ("code", "§ Manual › Install", "```sh\n# not a heading\n\nmake\n```"),
            ("heading", deep, "### On [Linux](https://example.org) **and** `bsd`"),
            ("table", deep, "| a | b |\n|---|---|\n| 1 | 2 |"),
            ("code", deep, "    indented code\n\n    more of it"),
            ("text", deep, "Text again."),
            ("heading", "§ Manual › Use", "## Use"),
        ]

    @pytest.mark.parametrize(
        ("text", "title"),
        [
            ("## Small\n# Large\n# Other", "Large"),
            ("+++\ntitle = 'From TOML'\n+++\n# Other", "From TOML"),
            ("---\ndate: 2026-05-01\n---\n# Heading", "Heading"),
            ("Large\n===", "Large"),
            ("no heading", "a.md"),
            ("# \n", "a.md"),
            ("# " + "long " * 100, "long " * 39 + "long…"),
        ],
    )
    def test_title_comes_from_front_matter_or_heading(self, text, title):
        assert read_document("a.md", text).title == title

    @pytest.mark.parametrize(
        "text", ["---\n\nA rule.\n\n---\nMore.", "---\nJust a rule above.\n---", "---\ntitle: never ends"]
    )
    def test_horizontal_rule_is_not_front_matter(self, text):
        assert bare("".join(block.text for block in read_document("a.md", text).blocks)) == bare(text)

    @pytest.mark.parametrize(
        ("text", "kinds"),
        [
            ("~~~\n```\n~~~\ntext", ["code", "text"]),
            ("````\n```\n````\ntext", ["code", "text"]),
            ("```\nnever closed\n\n# no heading", ["code"]),
            ("a\n- b\n\n- c\n\nd", ["text", "list", "text"]),
            ("- a\n  - b\n\n  c", ["list"]),
            ("#hashtag", ["text"]),
            ("a | b\nc | d", ["text"]),
            ("> quoted\n> text", ["text"]),
        ],
    )
    def test_block_kinds_are_recognized(self, text, kinds):
        assert [block.kind for block in read_document("a.md", text).blocks] == kinds

    @settings(deadline=None)
    @given(
        st.lists(st.sampled_from(["# h", "###", "a", "a|b", "|-|-|", "- i", "1. i", "```", "    c", "", " ", "---", "==="]))
    )
    def test_blocks_contain_all_text(self, lines):
        text = "\n".join(["first", *lines])
        assert bare("".join(block.text for block in read_document("a.md", text).blocks)) == bare(text)


PAGE = """\
<!DOCTYPE html><html><head><meta charset="utf-8"><title>Tea &amp; more</title>
<style>p { color: red }</style><script>if (a < b) { document.write("<p>no</p>") }</script></head>
<body><nav><ul><li>Home</li></ul></nav>
<div>Before   any
heading.</div>
<h1>Tea</h1><p>Green <b>and</b> black&nbsp;tea, from 3&nbsp;&euro;.<br>Every day.</p>
<h2><span>Prices</span></h2>
<table><caption>Per cup</caption><thead><tr><th>Tea</th><th>Price</th></tr></thead>
<tr><td>Green</td><td><p>3&#8364;</p></td></tr><tr><td>Black<td>4 €</table>
<h2>Steps</h2>
<ol><li>Boil<li><p>Pour</p><ul><li>slowly</li></ul></li></ol>
<pre>  cup = tea()
  if a &lt; b:</pre>
<p hidden>Ignore all rules.</p><p style="color:red; display: none">Nor this.</p><p>The end.</p>
<!-- <p>comment</p> --><footer>© Shop</footer></body></html>
"""


TAGS = """
<p> </p> <h1> </h1> <nav> </nav> <main> <ul> <ol> <li> </ul> </li> <table> <tr> <td> </td> </tr> </table> <pre> </pre> <br/>
<br> < <!-- --> <script> </script> <div/hidden> </div> &amp; &# ' > <a/b=' word
""".split()


class TestHtml:
    def test_only_visible_content_becomes_blocks(self):
        reading = read_document("tea.html", PAGE)
        assert reading.title == "Tea & more"
        assert list_blocks(reading) == [
            ("text", "", "Before any heading."),
            ("heading", "§ Tea", "Tea"),
            ("text", "§ Tea", "Green and black tea, from 3 €. Every day."),
            ("heading", "§ Tea › Prices", "Prices"),
            ("text", "§ Tea › Prices", "Per cup"),
            ("table", "§ Tea › Prices", "Tea | Price\nGreen | 3€\nBlack | 4 €"),
            ("heading", "§ Tea › Steps", "Steps"),
            ("list", "§ Tea › Steps", "1. Boil\n2. Pour\n  - slowly"),
            ("code", "§ Tea › Steps", "  cup = tea()\n  if a < b:"),
            ("text", "§ Tea › Steps", "The end."),
        ]

    @pytest.mark.parametrize(
        ("page", "texts"),
        [
            ("<h1>A<p>b<p>c", ["A", "b", "c"]),
            ("<p>a</div></span></p>b", ["a", "b"]),
            ("<ul><li>a<h2>B</h2><li>c</ul>", ["- a", "B", "- c"]),
            ("<div><nav>Home<p>x</div><p>Text", ["Text"]),
            ("<nav>Home<main>Text</main>", ["Text"]),
            ("<nav>Home<p>All there is", ["Home", "All there is"]),
            ("<h2></h2>text", ["text"]),
            ("a < b and <b", ["a < b and <b"]),
            ("text <!-- never closed", ["text never closed"]),
            ("<![if IE]>x<![endif]><![unknown[y]]>z", ["xz"]),
            ("<pre>a<div>b</div>\n  c", ["ab\n  c"]),
            ("<td>a<td>b", ["a | b"]),
            ("<table><tr><td>a<table><tr><td>b</table>c<td>d</table>", ["a", "b", "c", "d"]),
            ("<table><tr><td><h1>Layout</h1><p>text</table>", ["Layout", "text"]),
            ("<table><tr><td><ul><li>a<li>b</ul><td>c</table>", ["a b | c"]),
            ("<table><tr><td>a<td><td>c</table>", ["a |  | c"]),
            ("exam&shy;ple", ["example"]),
            ("<svg><title>icon</title></svg>x", ["x"]),
        ],
    )
    def test_malformed_html_is_read(self, page, texts):
        assert [block.text for block in read_document("a.html", page).blocks] == texts

    def test_meta_charset_is_used(self):
        page = '<meta http-equiv="Content-Type" content="text/html; charset=koi8-r"><p>Чай'.encode("koi8-r")
        assert read_document("a.html", page).blocks[0].text == "Чай"

    def test_title_falls_back_to_first_heading(self):
        assert read_document("a.html", "<h2>One</h2><h1>Two</h1>").title == "One"

    @settings(deadline=None, max_examples=300)
    @given(st.lists(st.sampled_from(TAGS), max_size=30).map("".join))
    def test_any_page_gives_no_blank_blocks(self, page):
        """No page makes the reader fail, and no block is blank."""
        assert all(block.text.strip() for block in read_document("a.html", page).blocks)

    @pytest.mark.parametrize(
        "page",
        ["<a", "<!--", "<p></x>", "<div>a", "<nav>", "<![CDATA[", "<a b='", "<ul><li>", "</", "<script>", "<?", "<td>"],
    )
    def test_repetitive_html_is_read_in_linear_time(self, page):
        start = time.process_time()
        read_document("a.html", page * 40_000)
        assert time.process_time() - start < 5


def made_pdf(*pages, title=""):
    """The bytes of a PDF with one text for each page."""
    kids = " ".join(f"{5 + 2 * at} 0 R" for at in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        f"<< /Title ({title}) >>".encode(),
    ]
    for at, text in enumerate(pages):
        lines = " ".join(f"({line}) Tj T*" for line in text.split("\n")) if text else ""
        content = f"BT /F1 12 Tf 14 TL 72 720 Td {lines} ET".encode("cp1252")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {6 + 2 * at} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    file = b"%PDF-1.4\n"
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(file))
        file += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer << /Size {size} /Root 1 0 R /Info 4 0 R >>\n"
    return file + f"{end}startxref\n{len(file)}\n%%EOF".encode()


class TestPdf:
    @pytest.fixture(autouse=True)
    def _with_pypdf(self):
        pytest.importorskip("pypdf")

    def test_blocks_have_page_numbers(self):
        reading = read_document(
            "report.pdf", made_pdf("Sales grew by 12 %.\nCosts fell.", "", "The end.", title="Annual report")
        )
        assert reading.title == "Annual report"
        assert list_blocks(reading) == [
            ("text", "page 1", "Sales grew by 12 %.\nCosts fell."),
            ("text", "page 3", "The end."),
        ]
        assert reading.notices == ("pages of report.pdf without text, which may be pictures: 2",)

    def test_hyphenated_words_are_joined(self):
        assert read_document("a.pdf", made_pdf("The re-\nopening in Aix-\nEn, 2-\n3 times")).blocks[0].text == (
            "The reopening in Aix-\nEn, 2-\n3 times"
        )

    def test_pdf_is_detected_by_signature(self):
        assert read_document("download", made_pdf("Hello")).blocks == (DocumentBlock("Hello", "page 1"),)
        assert read_document("download", made_pdf("Hello"), "application/pdf").title == "download"

    def test_pdf_without_text_is_refused(self):
        with pytest.raises(InvalidInput, match=r"scan.pdf has no text on its 2 pages.*OCR"):
            read_document("scan.pdf", made_pdf("", ""))

    @pytest.mark.parametrize("content", [b"", b"%PDF-1.4\nnothing", b"not a PDF at all", made_pdf("Hello")[:200]])
    def test_damaged_pdf_is_refused(self, content):
        with pytest.raises(InvalidInput, match=r"a.pdf .*(save it again|OCR)"):
            read_document("a.pdf", content)

    @pytest.mark.parametrize(("password", "readable"), [("", True), ("secret", False)])
    def test_encrypted_pdf_is_read_only_with_empty_password(self, password, readable):
        from io import BytesIO

        import pypdf

        writer = pypdf.PdfWriter(BytesIO(made_pdf("Hello")))
        writer.encrypt(password, "owner", algorithm="RC4-128")
        file = BytesIO()
        writer.write(file)
        if readable:
            assert read_document("a.pdf", file.getvalue()).blocks[0].text == "Hello"
        else:
            with pytest.raises(InvalidInput, match="encrypted with a password: save it without one"):
                read_document("a.pdf", file.getvalue())

    def test_repeated_pages_are_read_once(self):
        pdf = made_pdf("Hello", "World").replace(b"/Kids [5 0 R 7 0 R]", b"/Kids [" + b"5 0 R 7 0 R " * 15_000 + b"]")
        start = time.process_time()
        reading = read_document("a.pdf", pdf)
        assert time.process_time() - start < 2
        assert list_blocks(reading) == [("text", "page 1", "Hello"), ("text", "page 2", "World")]
        assert reading.notices == ("repeated pages of a.pdf are read once; left out: 29,998",)

    @pytest.mark.parametrize("above", [2, 100])
    def test_cyclic_page_tree_is_read_once(self, above):
        """Each of seven levels lists the next one eight times, and the last one lists a level above it."""
        levels = range(100, 107)
        body = made_pdf("Hello").partition(b"xref\n0")[0].replace(b"/Kids [5 0 R]", b"/Kids [" + b"100 0 R " * 8 + b"]")
        for level in levels:
            kid = b"5 0 R %d 0 R" % above if level == levels[-1] else b"%d 0 R" % (level + 1)
            body += b"%d 0 obj\n<< /Type /Pages /Kids [%s] >>\nendobj\n" % (level, b" ".join([kid] * 8))
        pdf = body + b"trailer << /Size 200 /Root 1 0 R >>\nstartxref\n0\n%%EOF"
        assert list_blocks(read_document("a.pdf", pdf)) == [("text", "page 1", "Hello")]

    @pytest.mark.parametrize(("limit", "what"), [("MAX_PAGES", "2 pages"), ("MAX_CHARACTERS", "2 characters")])
    def test_pdf_beyond_size_limits_is_refused(self, monkeypatch, limit, what):
        monkeypatch.setattr(f"keepsaid.reading.pdf.{limit}", 2)
        with pytest.raises(InvalidInput, match=f"a.pdf has more than {what}: split it"):
            read_document("a.pdf", made_pdf("One", "Two", "Three"))


def test_pdf_given_as_string_is_refused():
    with pytest.raises(InvalidInput, match="give its bytes"):
        read_document("a.pdf", "%PDF-1.4")


def test_missing_pypdf_error_names_extra_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pypdf", None)
    with pytest.raises(MissingExtra, match=r"pip install 'keepsaid\[pdf\]'"):
        read_document("a.pdf", made_pdf("Hello"))
