"""Find phone numbers in a text, but not the dates, order numbers and versions that look similar.

A plus sign and a country code identify a phone number. A number without them must have the format of some country and be
isolated from other numbers, or follow a word that says what it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

TextSpan = tuple[int, int]

_COUNTRY = (
    r"(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|(?:2[1-689]|3[578]|42|5[09]|6[7-9]|8[0578]|9[679])\d)"
)
_JOINT = r"[ .\u00a0\u2010-\u2013/-]"
_EXTENSION = r"(?:,?[ ]?(?:ext\.?|extension|x)[ ]?\d{1,6}(?!\w))?"

_BETWEEN = r"[ .,:/\u00a0\u2010-\u2013-]"
_ALONE = rf"(?<![\w+])(?:(?=\()|(?<!\d{_BETWEEN}))(?<![/=#@&.-])"
_END = rf"(?!\w|{_BETWEEN}\d|-\w|[ ]?[%°€$£])"
"""No other number next to it, on either side."""

_ABROAD = re.compile(
    rf"""(?<![\w+])(?:\+[ ]?|\(\+(?={_COUNTRY}\)))(?P<country>{_COUNTRY})\)?
    (?:{_JOINT}?\(0\))?
    (?P<rest>
        {_JOINT}{{0,3}}\(?\d{{1,14}}+\)?
        (?:{_JOINT}{{1,3}}\(?\d{{1,8}}+\)?|(?<=\))\d{{1,8}}+){{0,7}}
    )
    (?!\w|[.,:]\d|%){_EXTENSION}""",
    re.ASCII | re.VERBOSE | re.IGNORECASE,
)

_AT_HOME = re.compile(
    rf"""{_ALONE}(?:
        # (415) 555-2671, 1-800-555-0199
        (?:1[ .-]?)?(?:\([2-9]\d\d\)[ ]?[2-9]\d\d[ .-]|[2-9]\d\d([ .-])[2-9]\d\d\1)\d{{4}}
        # 020 7946 0958, 030/1234567
        |(?:\(0[1-9]\d{{0,4}}\)|0[1-9]\d{{0,4}})(?:(?:[ ]?[/-][ ]?|[ .\u00a0\u2010-\u2013]|(?<=\)))\d{{2,8}}){{1,5}}
        # 0049 30 1234567
        |00[ ]?{_COUNTRY}(?:{_JOINT}|(?=\())(?:\(0?\d{{0,4}}\)[ ]?)?\d{{1,8}}(?:{_JOINT}\d{{2,8}}){{0,5}}
        # (11) 91234-5678
        |\([1-9]\d\)[ ]?9?\d{{4}}[ -]\d{{4}}
    ){_EXTENSION}{_END}""",
    re.ASCII | re.VERBOSE | re.IGNORECASE,
)

_FILLERS = "phone numbers? no nr line is was me us him her them at on under via by home work office now".replace(" ", "|")
_NAMED = re.compile(
    rf"""(?<![\w-])(?:
        (?:tele)?phone|t[eé]l|tel[eé]fono?|mobile|cell|handy|whats?app|telegram|signal|fax|sms|landline|hotline|helpline
        |(?P<verb>call|text|ring|dial|reach)
        |(?:my|our|his|her|their|your)[ ](?:new[ ]|old[ ])?number|wa\.me
    )\b
    (?:[ ]?(?:{_FILLERS})\b|[ .:#=/*\"'-]){{0,8}}
    (?P<number>(?<![\w+.,-])(?:\(\d{{1,5}}\)|\d)(?:{_JOINT}{{0,2}}\d){{6,14}}+){_EXTENSION}{_END}""",
    re.ASCII | re.VERBOSE | re.IGNORECASE,
)

_NAMED_OTHERWISE = re.compile(
    r"\b(?:order|invoice|ticket|case|claim|tracking|shipment|reference|ref|serial|imei|isbn|issn|ean|gtin|upc|sku|part|model"
    r"|version|build|account|id|vat|tax|policy|patent|doi|zip|postcode|barcode|lottery|article|item|confirmation|booking)"
    r"(?:\s(?:number|numbers|no|nr|id|code|is))*\b[\s.:#=-]{0,3}\Z",
    re.ASCII | re.IGNORECASE,
)
"""Names before a number that show that it is not a phone number."""
_DATE = re.compile(
    r"(?:\d{1,2}[ ./-]\d{1,2}[ ./-](?:19|20)\d\d|(?:19|20)\d\d[ ./-]\d{1,2}[ ./-]\d{1,2})(?!\d)"
    r"|(?:19|20)\d\d[ -](?:19|20)\d\d\Z",
    re.ASCII,
)
_GROUPS = re.compile(r"(?P<digits>\d+)\)?", re.ASCII)
_PAIRS = re.compile(r"\d\d(?: \d\d)+", re.ASCII)


def find_international_phones(text: str) -> Iterator[TextSpan]:
    """Yield the spans of phone numbers with a country code.

    >>> list(find_international_phones("Ring +44 20 7946 0958 or (+49) 30 123456."))
    [(5, 21), (25, 40)]
    """
    for match in _ABROAD.finditer(text):
        end = _number_end(match)
        if end == match.end("rest"):
            end = match.end()
        if end:
            yield match.start(), end


def _number_end(match: re.Match[str]) -> int:
    """Return where a number ends: before the group of digits that would make it too long. 0 if it is not a phone number."""
    longest = 11 if match["country"] == "1" else 15
    end, digits, single = 0, len(match["country"]), 0
    for group in _GROUPS.finditer(match.string, match.start("rest"), match.end("rest")):
        digits += len(group["digits"])
        single += len(group["digits"]) == 1
        if digits > longest or single > 2:
            break
        end = group.end() if digits >= 8 else 0
    number = match.string[match.start() : end]
    # A closing bracket is not part of the number if it was opened before it.
    return end - 1 if number.count(")") > number.count("(") else end


def find_national_phones(text: str) -> Iterator[TextSpan]:
    """Yield the spans of phone numbers as written within their country.

    >>> text = "Call 415-555-2671 or 020 7946 0958; order 020 7946 0958; on 08-05-2023"
    >>> [text[start:end] for start, end in find_national_phones(text)]
    ['415-555-2671', '020 7946 0958']
    """
    for match in _AT_HOME.finditer(text):
        number = match[0]
        shortest, longest = (10, 17) if number.startswith("00") else (9, 12)
        if number.lstrip("(").startswith("0") and not shortest <= len(_digits(number)) <= longest:
            continue
        if _DATE.match(number) or _is_ascending_list(number) or _is_named_otherwise(text, match.start()):
            continue
        yield match.span()


def find_labeled_phones(text: str) -> Iterator[TextSpan]:
    """Yield the spans of phone numbers in any format after a word that says so.

    >>> list(find_labeled_phones("My number is 98765 43210, and there were 98765 43210 visitors."))
    [(13, 24)]
    """
    for match in _NAMED.finditer(text):
        number = match["number"]
        # A number after a verb can be a count ("call 2000000 customers"). A phone number is longer, or written in groups.
        counted = match["verb"] and number.isdigit() and len(number) < 9
        if not counted and not _DATE.match(number):
            yield match.start("number"), match.end()


def _is_ascending_list(number: str) -> bool:
    """Whether a number is a list of ascending pairs of digits, such as lottery numbers."""
    return _PAIRS.fullmatch(number) is not None and number.split() == sorted(set(number.split()))


def _is_named_otherwise(text: str, start: int) -> bool:
    return _NAMED_OTHERWISE.search(text, max(0, start - 40), start) is not None


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))
