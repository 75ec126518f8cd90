"""Documents: uploaded by choosing or dropping files, viewed, replaced and removed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page, expect
from test_reading import made_pdf

from .conftest import RunningServer
from .looks import is_fit_for_all, violations

Visit = Callable[..., Page]
DROP = """([zone, name, type, text]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], name, { type }));
    zone.dispatchEvent(new DragEvent("dragover", { bubbles: true, cancelable: true, dataTransfer: transfer }));
    zone.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: transfer }));
}"""


def file(name: str, text: str | bytes, type: str = "text/plain") -> dict[str, Any]:
    return {"name": name, "mimeType": type, "buffer": text if isinstance(text, bytes) else text.encode()}


def choose(page: Page, *files: dict[str, Any]) -> None:
    page.get_by_label("Choose files").set_input_files(list(files))  # pyright: ignore[reportArgumentType]


def upload(page: Page, name: str) -> Locator:
    return page.get_by_role("list", name="Uploads").get_by_role("listitem").filter(has_text=name)


def entry(page: Page, name: str) -> Locator:
    """A document of the list."""
    return page.get_by_role("region", name="All documents").get_by_role("listitem").filter(has_text=name)


def fetch_documents(running_server: RunningServer) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in running_server.http.get("/v1/documents").raise_for_status().json()["items"]}


def test_uploaded_files_of_each_type_are_read(visit: Visit, running_server: RunningServer) -> None:
    page = visit(running_server, "/documents")
    choose(
        page,
        file("plain.txt", "The gate opens at nine."),
        file("guide.md", "# The guide\n\n## Tickets\n\nThey cost 12 euros.", ""),
        file("site.html", "<title>Our site</title><h1>Hours</h1><p>Closed on Mondays.</p>", "text/html"),
        file("report.pdf", made_pdf("Sales grew by 12 %.", "", "The end.", title="Annual report"), "application/pdf"),
    )
    for name in ("plain.txt", "guide.md", "site.html", "report.pdf"):
        expect(upload(page, name)).to_contain_text(re.compile(r"read: \d+ piece"))
    expect(entry(page, "plain.txt")).to_contain_text("Text")
    expect(entry(page, "guide.md")).to_contain_text("Markdown")
    expect(entry(page, "Our site")).to_contain_text("HTML")
    report = entry(page, "Annual report")
    expect(report).to_contain_text("PDF")
    expect(report).to_contain_text("pages of report.pdf without text")
    tokens = fetch_documents(running_server)["report.pdf"]["tokens"]
    expect(report).to_contain_text(f"{tokens} tokens")
    page.get_by_role("button", name="Clear “plain.txt” from this list").click()
    expect(upload(page, "plain.txt")).to_have_count(0)
    assert "plain.txt" in fetch_documents(running_server)


def test_dropped_file_is_uploaded_and_searchable(visit: Visit, running_server: RunningServer) -> None:
    page = visit(running_server, "/documents")
    zone = page.locator(".drop-zone").element_handle()
    page.evaluate(DROP, [zone, "dropped.txt", "text/plain", "The bell rings at noon."])
    expect(upload(page, "dropped.txt")).to_contain_text("read: 1 piece")
    found = running_server.http.post("/v1/search", json={"query": "bell noon", "kinds": ["documents"]}).json()["hits"]
    assert [hit["title"] for hit in found] == ["dropped.txt"]


def test_document_chunks_are_shown_in_pages(visit: Visit, running_server: RunningServer) -> None:
    chapters = (f"## Chapter {number}\n\n" + f"In row {number} grow tomatoes. " * 40 for number in range(130))
    page = visit(running_server, "/documents")
    choose(page, file("garden.md", "# The garden book\n\n" + "\n\n".join(chapters)))
    expect(upload(page, "garden.md")).to_contain_text("read:")
    pieces = fetch_documents(running_server)["garden.md"]["chunks"]
    assert pieces > 100, "too few to be on two pages"
    page.get_by_role("link", name="The garden book").click()
    drawer = page.get_by_role("dialog", name="The garden book")
    expect(drawer.get_by_role("listitem")).to_have_count(100)
    expect(drawer.get_by_role("listitem").first).to_contain_text("Chapter 0")
    expect(drawer.get_by_text("In row 0 grow tomatoes.").first).to_be_visible()
    assert violations(page) == []
    while drawer.get_by_role("button", name="Show more").is_visible():
        before = drawer.get_by_role("listitem").count()
        drawer.get_by_role("button", name="Show more").click()
        expect(drawer.get_by_role("listitem").nth(before)).to_be_visible()
        expect(drawer.get_by_role("status")).to_have_count(0)
    expect(drawer.get_by_role("listitem")).to_have_count(pieces)
    expect(drawer.get_by_role("listitem").last).to_contain_text("Chapter 129")
    page.keyboard.press("Escape")
    expect(drawer).to_have_count(0)
    assert page.url == f"{running_server.url}/documents"


def test_file_of_same_name_becomes_new_version(visit: Visit, running_server: RunningServer) -> None:
    page = visit(running_server, "/documents")
    choose(page, file("plan.txt", "We meet on Monday."))
    expect(entry(page, "plan.txt")).to_contain_text("version 1")
    choose(page, file("plan.txt", "We meet on Tuesday."))
    expect(entry(page, "plan.txt")).to_contain_text("version 2")
    expect(entry(page, "plan.txt")).to_have_count(1)


def test_removing_document_requires_confirmation(visit: Visit, running_server: RunningServer) -> None:
    page = visit(running_server, "/documents")
    choose(page, file("old.txt", "The old rules."))
    entry(page, "old.txt").get_by_role("button", name="Remove “old.txt”…").click()
    dialog = page.get_by_role("dialog", name="Remove this document?")
    dialog.get_by_role("button", name="Cancel").click()
    expect(entry(page, "old.txt")).to_be_visible()
    assert "old.txt" in fetch_documents(running_server)
    entry(page, "old.txt").get_by_role("button", name="Remove “old.txt”…").click()
    dialog.get_by_role("button", name="Remove permanently").click()
    expect(entry(page, "old.txt")).to_have_count(0)
    assert "old.txt" not in fetch_documents(running_server)


def test_too_large_file_is_not_uploaded(start: Callable[..., RunningServer], visit: Visit) -> None:
    running_server = start(KEEPSAID_SERVER_UPLOAD="1000")
    page = visit(running_server, "/documents")
    expect(page.get_by_text("No documents yet")).to_be_visible()
    choose(page, file("large.txt", "word " * 400), file("small.txt", "Short."))
    expect(upload(page, "large.txt")).to_contain_text("It has 2 kB; 1 kB is the limit.")
    expect(upload(page, "small.txt")).to_contain_text("read: 1 piece")
    assert set(fetch_documents(running_server)) == {"small.txt"}


def test_document_link_opens_document(visit: Visit, running_server: RunningServer) -> None:
    made = (
        running_server.http.post("/v1/documents", params={"name": "linked.txt"}, content=b"Linked words.")
        .raise_for_status()
        .json()
    )
    page = visit(running_server, f"/documents#{made['id']}")
    expect(page.get_by_role("dialog", name="linked.txt").get_by_text("Linked words.")).to_be_visible()


def test_documents_page_is_accessible_and_fits_small_screens(visit: Visit, running_server: RunningServer) -> None:
    name = "a-name-that-is-so-long-that-it-does-not-fit-on-a-small-screen-without-breaking.txt"
    running_server.http.post("/v1/documents", params={"name": name}, content=b"Words.").raise_for_status()
    is_fit_for_all(visit, running_server, "/documents", name)
