"""What every page of the page has to be: readable by everybody, and not wider than the screen."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page

from .conftest import ROOT, RunningServer

AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
RULES = {"resultTypes": ["violations"]}


def violations(page: Page) -> list[str]:
    """What axe finds, each with the first place where it is."""
    # Something that is still fading in has the wrong contrast.
    page.evaluate("Promise.all(document.getAnimations().map((one) => one.finished.catch(() => null)))")
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("(rules) => axe.run(document, rules)", RULES)["violations"]
    first = [(one["id"], one["impact"], one["nodes"][0]) for one in found]
    return [f"{rule} ({impact}): {node['html']} {node['failureSummary']}" for rule, impact, node in first]


def overflow(page: Page) -> list[str]:
    """What stands over the right edge of the page, without a way to scroll to it."""
    return page.evaluate("""() => [...document.querySelectorAll("body *")]
        .filter((one) => one.getBoundingClientRect().right > innerWidth + 0.5)
        .filter((one) => one.checkVisibility() && getComputedStyle(one).clipPath === "none")
        .map((one) => one.outerHTML.slice(0, 120))""")


def is_fit_for_all(visit: Callable[..., Page], running_server: RunningServer, address: str, ready: str) -> None:
    """Opens an address light, dark, and on a small screen, and looks at it when a text is there."""
    for look in ({"color_scheme": "light"}, {"color_scheme": "dark"}, {"viewport": {"width": 360, "height": 740}}):
        page = visit(running_server, address, **look)
        page.get_by_text(ready).first.wait_for()
        found = violations(page) + overflow(page)
        assert found == [], (look, found)
