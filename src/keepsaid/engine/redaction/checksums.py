"""Find card and bank account numbers, which differ from other long numbers by their valid check digits."""

from __future__ import annotations

import re
from collections.abc import Iterator

TextSpan = tuple[int, int]

_CARDS = re.compile(
    r"""(?<![\w.-])(?:
        \d{13,19}
        |(?<!\d[ ])\d{4}([ -])\d{4}\1\d{4}\1\d{4}(?:\1\d{3}(?!\d))?
        |(?<!\d[ ])\d{4}([ -])\d{6}\2\d{4,5}
    )(?![\w-]|[ ]\d{4}(?!\d)|\.\d)""",
    re.ASCII | re.VERBOSE,
)
_ISSUERS = re.compile(
    r"""(?:
        4(?:\d{12}|\d{15}|\d{18})       # Visa
        |(?:5[1-5]|2[2-7])\d{14}        # Mastercard
        |3[47]\d{13}                    # American Express
        |3(?:0[0-5]|[68]\d)\d{11}       # Diners Club
        |35\d{14}                       # JCB
        |6\d{15,18}                     # Discover, UnionPay, RuPay, Maestro
        |5[06-8]\d{14,17}               # Maestro, Elo
        |220[0-4]\d{12}                 # Mir
    )""",
    re.ASCII | re.VERBOSE,
)
_NAMED_OTHERWISE = re.compile(
    r"\b(?:order|invoice|ticket|tracking|shipment|serial|imei|isbn|ean|gtin|upc|sku|part|barcode)"
    r"(?:\s(?:number|no|nr|id|code))?\b[\s.:#=-]{0,3}\Z",
    re.ASCII | re.IGNORECASE,
)
"""Names before a number that show that it is not a card number, whatever its check digit."""

_ACCOUNTS = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?=[ -]?[A-Za-z0-9]{2})", re.ASCII)
_LENGTHS = {
    item[:2]: int(item[2:])
    for item in """
    AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18
    FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20
    LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24
    SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30
    """.split()
}
"""Length of an IBAN by country (SWIFT registry)."""


def find_cards(text: str) -> Iterator[TextSpan]:
    """Yield the spans of payment card numbers in a text.

    >>> list(find_cards("Take 4111 1111 1111 1111, not 4111 1111 1111 1112."))
    [(5, 24)]
    """
    for match in _CARDS.finditer(text):
        start, end = match.span()
        number = _digits(match[0])
        if len(number) == 19 and match[1] and not is_card_number(number):
            # The last three may be the code on the back.
            end, number = end - 4, number[:16]
        if is_card_number(number) and not _NAMED_OTHERWISE.search(text, max(0, start - 32), start):
            yield start, end


def is_card_number(number: str) -> bool:
    """Whether digits are a card number: valid prefix of an issuer, length and check digit (Luhn).

    >>> is_card_number("4111111111111111"), is_card_number("4111111111111112"), is_card_number("9788374694940013")
    (True, False, False)
    """
    if _ISSUERS.fullmatch(number) is None:
        return False
    doubled = (2 * int(digit) for digit in number[-2::-2])
    return (sum(map(int, number[-1::-2])) + sum(value - 9 if value > 9 else value for value in doubled)) % 10 == 0


def find_bank_accounts(text: str) -> Iterator[TextSpan]:
    """Yield the spans of international bank account numbers in a text.

    >>> list(find_bank_accounts("Pay to DE89 3704 0044 0532 0130 00, please."))
    [(7, 34)]
    """
    for match in _ACCOUNTS.finditer(text):
        start = match.start()
        length = _LENGTHS.get(match[0][:2].upper(), 0)
        end = _account_end(text, start, length)
        if length and end is not None and is_iban(text[start:end]):
            yield start, end


def _account_end(text: str, start: int, length: int) -> int | None:
    """Return where `length` letters and digits end. There may be a space or dash after every fourth; then capitals only."""
    at = start
    for place in range(length):
        if place % 4 == 0 and place and text[at : at + 1] in (" ", "-"):
            at += 1
        if not _is_plain(text[at : at + 1]):
            return None
        at += 1
    together = at - start == length
    return at if not _is_plain(text[at : at + 1]) and (together or text[start:at].isupper()) else None


def _is_plain(character: str) -> bool:
    return character.isascii() and character.isalnum()


def is_iban(number: str) -> bool:
    """Whether the check digits of an IBAN are valid: rearranged and read as one number, its remainder by 97 is 1.

    >>> is_iban("DE89370400440532013000"), is_iban("DE88370400440532013000")
    (True, False)
    """
    plain = number.replace(" ", "").replace("-", "").upper()
    return int("".join(str(int(character, 36)) for character in plain[4:] + plain[:4])) % 97 == 1


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))
