"""The reference page of the HTTP API, built from the OpenAPI document, without scripts or external resources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from fastapi import Request
from starlette.responses import HTMLResponse, Response

from keepsaid.server import problems

HTTP_METHODS = ("get", "post", "put", "patch", "delete")
STYLE = """
:root { color-scheme: light dark; --line: #d8dbe2; --soft: #5b6170; --back: #f6f7f9; --accent: #3557d6; }
@media (prefers-color-scheme: dark) { :root { --line: #30343e; --soft: #a2a9b8; --back: #1c1f26; --accent: #8ea6ff; } }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 2rem 1.25rem 6rem; }
h1 { font-size: 1.7rem; margin: 0 0 .25rem; } h2 { margin: 3rem 0 .5rem; font-size: 1.15rem; text-transform: capitalize; }
p.soft, .soft { color: var(--soft); }
nav a { margin-right: .9rem; white-space: nowrap; } a { color: var(--accent); }
details { border: 1px solid var(--line); border-radius: 8px; margin: .5rem 0; padding: 0 .9rem; }
summary { cursor: pointer; padding: .55rem 0; overflow-wrap: anywhere; } summary .soft { margin-left: .5rem; }
.method { display: inline-block; min-width: 4.2rem; font: 600 .8rem ui-monospace, monospace; color: var(--accent); }
code { font: .86rem/1.5 ui-monospace, monospace; }
table { border-collapse: collapse; width: 100%; margin: .4rem 0 1rem; }
td { vertical-align: top; padding: .3rem .7rem .3rem 0; border-bottom: 1px solid var(--line); }
"""


async def show_reference(request: Request) -> Response:
    """Show the whole reference."""
    return HTMLResponse("".join(_page(request.app.openapi())))


async def show_style() -> Response:
    """Serve its style sheet: a separate file, because the content security policy forbids inline styles."""
    return Response(STYLE, media_type="text/css", headers={"Cache-Control": "no-cache"})


def _page(document: Mapping[str, Any]) -> Iterator[str]:
    about = document["info"]
    yield '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    yield f'<title>{escape(about["title"])}: the HTTP API</title><link rel="stylesheet" href="/docs.css"></head><body>'
    yield f'<main><h1>{escape(about["title"])} <span class="soft">{escape(about["version"])}</span></h1>'
    yield f'<p class="soft">{escape(about["description"])}</p>'
    yield '<p><a href="/openapi.json">OpenAPI document</a> · <a href="/">Web page</a> · Send <code>Authorization: Bearer'
    yield " KEY</code> if the server needs a key. Lists are paged: send <code>next</code> back as <code>cursor</code>.</p>"
    yield "<nav>"
    groups = _by_tag(document)
    yield (
        "".join(f'<a href="#{_anchor(tag)}">{escape(tag)}</a>' for tag in groups) + '<a href="#problems">problems</a></nav>'
    )
    for tag, operations in groups.items():
        yield f'<section><h2 id="{_anchor(tag)}">{escape(tag)}</h2>'
        for method, path, operation in operations:
            yield from _operation(document, method, path, operation)
        yield "</section>"
    yield from _problems()
    yield "</main></body></html>"


def _by_tag(document: Mapping[str, Any]) -> dict[str, list[tuple[str, str, Any]]]:
    groups: dict[str, list[tuple[str, str, Any]]] = {}
    for path, item in document["paths"].items():
        for method in HTTP_METHODS:
            if method in item:
                groups.setdefault(item[method].get("tags", ["other"])[0], []).append((method, path, item[method]))
    return groups


def _anchor(tag: str) -> str:
    return tag.replace(" ", "-")


def _operation(document: Mapping[str, Any], method: str, path: str, operation: Mapping[str, Any]) -> Iterator[str]:
    description = " ".join(operation.get("description", "").split())
    yield f'<details><summary><span class="method">{method.upper()}</span> <code>{escape(path)}</code>'
    yield f'<span class="soft">{escape(operation.get("summary", ""))}</span></summary><p>{escape(description)}</p>'
    rows = [
        (one["name"], one["in"], _kind(document, one["schema"]), one.get("description", ""))
        for one in operation.get("parameters", ())
    ]
    body: dict[str, Any] = operation.get("requestBody", {}).get("content", {})
    schema: dict[str, Any] = next(iter(body.values()))["schema"] if body else {}
    fields = _resolved(document, schema)
    required = fields.get("required", ())
    for name, field in fields.get("properties", {}).items():
        need = "body, required" if name in required else "body"
        rows.append((name, need, _kind(document, field), field.get("description", "")))
    if rows:
        cells = ("".join(f"<td>{cell}</td>" for cell in _cells(row)) for row in rows)
        yield "<table>" + "".join(f"<tr>{row}</tr>" for row in cells) + "</table>"
    answer = _answer(document, operation)
    yield f"<p>Answers with <code>{escape(answer)}</code></p></details>" if answer else "</details>"


def _cells(row: tuple[str, str, str, str]) -> Iterator[str]:
    name, location, kind, description = row
    yield f"<code>{escape(name)}</code>"
    yield f'<span class="soft">{escape(location)}</span>'
    yield f"<code>{escape(kind)}</code>"
    yield escape(description)


def _answer(document: Mapping[str, Any], operation: Mapping[str, Any]) -> str:
    for status, response in operation.get("responses", {}).items():
        if status.startswith("2"):
            kinds = response.get("content", {})
            schema = kinds.get("application/json", {}).get("schema", {})
            fields = ", ".join(_resolved(document, schema).get("properties", {}))
            return f"{status} {{{fields}}}" if fields else f"{status} {' or '.join(kinds)}".strip()
    return ""


def _resolved(document: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema that a reference points to, or the schema itself."""
    reference = schema.get("$ref")
    return document["components"]["schemas"][reference.rpartition("/")[2]] if reference else schema


def _kind(document: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """Describe the values of a schema in a word or two."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "enum" in schema or "const" in schema:
        return " | ".join(map(str, schema.get("enum", [schema.get("const")])))
    if "anyOf" in schema:
        return " | ".join(kind for one in schema["anyOf"] if (kind := _kind(document, one)) != "null")
    if schema.get("type") == "array":
        return f"[{_kind(document, schema.get('items', {}))}]"
    return str(schema.get("format") or schema.get("type") or "any")


def _problems() -> Iterator[str]:
    yield '<section><h2 id="problems">problems</h2><p>Errors are problem documents (RFC 9457). Their kinds are:</p><table>'
    own = [value for value in vars(problems).values() if isinstance(value, problems.ProblemKind)]
    known = {kind.name: kind for kind in (*(kind for _, kind in problems.KINDS), *own)}
    for kind in sorted(known.values(), key=lambda kind: (kind.status, kind.name)):
        yield f'<tr id="{kind.name}"><td>{kind.status}</td><td><code>{kind.name}</code></td>'
        yield f"<td>{escape(kind.title)}</td></tr>"
    yield "</table></section>"
