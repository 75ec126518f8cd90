"""Find keys, tokens and passwords in a text.

A key is recognized by its prefix, by the name before it, or by being long and random. Hashes, identifiers and code that only
mentions keys are not credentials.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator

TextSpan = tuple[int, int]

MIN_TOKEN_LENGTH = 32
MAX_TOKEN_LENGTH = 128
"""Longer runs are encoded files rather than keys."""

_PREFIXED = re.compile(
    r"""(?<![A-Za-z0-9_-])(?:
        sk-[A-Za-z0-9_-]{20,}+                              # OpenAI, Anthropic and others
        |(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}+       # Stripe
        |whsec_[A-Za-z0-9+/=]{24,}+
        |gh[pousr]_[A-Za-z0-9]{20,}+|github_pat_\w{20,}+
        |glpat-[\w-]{20,}+
        |(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])
        |xox[abeoprs]-[A-Za-z0-9-]{10,}+
        |AIza[\w-]{35}(?![\w-])
        |hf_[A-Za-z0-9]{30,}+|npm_[A-Za-z0-9]{36}(?!\w)|pypi-[\w-]{50,}+
        |dop_v1_[0-9a-f]{32,}+
        |SG\.[\w-]{16,64}+\.[\w-]{16,64}+
        |ya29\.[\w-]{20,}+
        |\d{8,10}:AA[\w-]{33}(?![\w-])                      # Telegram's bots
        |eyJ[\w-]{8,}+\.eyJ[\w-]{8,}+\.[\w-]{8,}+           # JSON Web Tokens
    )""",
    re.ASCII | re.VERBOSE,
)
_PRIVATE = re.compile(
    # Up to the next five dashes, wherever they are, so that a second beginning does not read the same text again.
    r"-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----[^-]*+(?:-(?!----)[^-]*+)*+"
    r"-----END [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----",
    re.ASCII,
)
_LOGIN = re.compile(r"://[^\s/:@\"'<>]{0,64}+:(?P<value>[^\s/@\"'<>{}$\[\]]{3,128}+)@(?=[\w\[.-])", re.ASCII)

_MARKER = r"\[\w{2,16} removed\]"
_VALUE = rf"(?:(?!{_MARKER})(?:[^\s\"'`<>,;|&]|&(?![\w.-]{{1,64}}=)))"
_ASSIGNED = re.compile(
    rf"""(?:
        (?P<word>password|passwd|passphrase|passcode|(?<![A-Za-z])pwd)
        |(?:secret|token|api[_ -]?key|access[_ -]?key(?:[_ -]?id)?|auth[_ -]?key|private[_ -]?key|secret[_ -]?key)
    )
    (?:
        ["'`*]{{0,3}}\s{{0,3}}(?P<sign>:=|[:=])\s{{0,3}}["'`*]{{0,3}}
        |\s(?P<says>is|was)\s(?:now\s)?["'`*]{{0,3}}
    )
    (?!//|{_MARKER})(?P<value>{_VALUE}{{4,200}}+)""",
    re.ASCII | re.VERBOSE | re.IGNORECASE,
)
_NAMES = ("pass", "pwd", "secret", "token", "key")
_BEARER = re.compile(r"\bBearer\s(?P<value>[\w.~+/-]{16,}+=*)", re.ASCII)

_TOKENS = re.compile(r"(?<![\w+/=.@#%-])[A-Za-z0-9_+/=-]{32,}+(?![\w.@]*://)", re.ASCII)
_HEXADECIMAL = re.compile(r"(?:0x)?[0-9a-fA-F_-]+", re.ASCII)
_PUBLIC = re.compile(r"AAAA[BCE]|sha\d{1,3}[-=]|Qm[1-9A-Za-z]{44}\Z", re.ASCII)
"""Prefixes of public keys, checksums and content addresses, which are long and random but not secret."""
_CHECKSUM = re.compile(
    r"(?<![A-Za-z0-9_-])(?:sha-?\d{1,3}|md5|checksum|integrity|hash|commit|fingerprint|base64)[\s:=,\"'(]{1,4}\Z",
    re.ASCII | re.IGNORECASE,
)
_LINK = re.compile(r"(?:://|www\.)\S{0,400}\Z", re.ASCII)
_DIGITS = re.compile(r"\d+", re.ASCII)
_CLASSES = re.compile(r"[a-z]+|[A-Z]+|\d+|[^A-Za-z\d]+", re.ASCII)

_NO_VALUES = frozenset(
    """str string text varchar char bytes int bool true false null none nil undefined void any optional required missing
    empty hidden redacted masked changed reset incorrect correct wrong invalid valid expired strong weak unknown default
    field input""".split()
)
_PLACEHOLDER = re.compile(
    r"[$%{(\[*•.…_-]|x{4,}|your|my[_-]|the[_-]|example|placeholder|changeme|insert|enter[_-]|env[.:(\[]", re.IGNORECASE
)
"""Beginnings of placeholders: a variable, a template, asterisks."""
_CODE = re.compile(
    r"[A-Za-z_][\w.]*[(\[{].*|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+[)\]};:]*|.*(?:\(\)|=>|\bself\b).*", re.ASCII | re.DOTALL
)


def find_credentials(text: str) -> Iterator[TextSpan]:
    """Yield the spans of keys, tokens and passwords in a text, in no order. Spans may overlap.

    >>> text = "password: hunter2, and OPENAI_API_KEY=sk-abcdefghijklmnopqrstuvwx; password: str"
    >>> [text[start:end] for start, end in sorted(set(find_credentials(text)))]
    ['hunter2', 'sk-abcdefghijklmnopqrstuvwx']
    """
    for pattern in (_PRIVATE, _PREFIXED):
        for match in pattern.finditer(text):
            yield match.span()
    for match in _LOGIN.finditer(text):
        yield match.span("value")
    for match in _BEARER.finditer(text):
        if _DIGITS.search(match["value"]):
            yield match.span("value")
    lowered = text.lower()
    for match in _ASSIGNED.finditer(text) if any(name in lowered for name in _NAMES) else ():
        if value := _secret_value(match):
            yield match.start("value"), match.start("value") + len(value)
    for match in _TOKENS.finditer(text):
        if _is_token(match[0]) and not _is_public(text, match.start()):
            yield match.span()


def _secret_value(match: re.Match[str]) -> str:
    """Return the value of a key or password; empty if it is a type, a variable or a word."""
    value = match["value"].rstrip(".,;:)]}?*")
    if len(value) < 4 or value.lower() in _NO_VALUES or _PLACEHOLDER.match(value) or _CODE.fullmatch(match["value"]):
        return ""
    letters, digits = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    if not match["word"]:
        return value if letters and digits and len(value) >= 8 else ""
    signs = any(sign in value[:-1] for sign in "!@#$%^&*+~?=")
    if match["says"]:
        likely = (letters and (digits or signs)) or (digits and len(value) >= 6)
    else:
        likely = digits or signs or _is_whole_line(match, value)
    return value if likely else ""


def _is_whole_line(match: re.Match[str], value: str) -> bool:
    """Whether a password that is an ordinary word ends its line, as in a list of login data."""
    text, end = match.string, match.end()
    return match["sign"] == ":" and text[end : end + 1] in ("", "\n", "\r") and value.islower() and len(value) >= 6


def _is_token(run: str) -> bool:
    """Whether a long run of letters and digits is random: it often changes between lower case, upper case and digits, and
    has no words."""
    if not MIN_TOKEN_LENGTH <= len(run) <= MAX_TOKEN_LENGTH or _HEXADECIMAL.fullmatch(run) or _PUBLIC.match(run):
        return False
    pieces = _CLASSES.findall(run)
    kinds = {"a" if piece.islower() else "A" if piece.isupper() else "1" for piece in pieces if piece[0].isalnum()}
    if len(kinds) < 3 or max(map(len, pieces)) > 9 or len(_DIGITS.findall(run)) < 3:
        return False
    return len(pieces) >= len(run) * 0.4 and _entropy(run) >= 3.8


def _entropy(run: str) -> float:
    """Return the entropy in bits per character, from the character frequencies."""
    return -sum(count / len(run) * math.log2(count / len(run)) for count in Counter(run).values())


def _is_public(text: str, start: int) -> bool:
    before = text[max(0, start - 400) : start]
    return _CHECKSUM.search(before, max(0, len(before) - 24)) is not None or _LINK.search(before) is not None
