"""Redaction: what is removed, what is kept, that it is idempotent, and that it takes linear time."""

from __future__ import annotations

import json
import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from quick import seconds

from keepsaid.engine.redaction import ALL_KINDS, redact
from keepsaid.engine.redaction.checksums import is_card_number, is_iban
from keepsaid.engine.redaction.messages import PersonalDataRedactor
from keepsaid.errors import InvalidInput
from keepsaid.types import ContentPart, MessageDraft

# What must go stands between ‹ and ›.
PERSONAL = {
    "mail": [
        "Write to ‹ana.silva@example.org› please.",
        "Mine is ‹ANA_SILVA+news@mail.example.co.uk›, hers <‹b@x.io›>.",
        "mailto:‹office@firma-nord.de›?subject=hi",
        "‹o'brien@example.com›",
        "邮箱是‹wang@example.cn›，谢谢",
        "jörg: ‹jörg@müller.de›.",
        "[Ana](mailto:‹ana@example.org›)",
        "Почта: ‹иван@пример.рф›",
        '{"email":"‹ana@example.org›"}',
        "a@b is none but ‹a@b.co› is",
    ],
    "phone": [
        "Call me at ‹+1 415 555 2671›.",
        "‹+14155552671›",
        "‹+1 (415) 555-2671›",
        "‹+1-415-555-2671› is hers",
        "‹(415) 555-2671›",
        "‹415-555-2671›",
        "‹415.555.2671› after six",
        "Lisa ‹415 555 2671›",
        "‹1-800-555-0199›",
        "‹(415) 555-2671 ext. 12› at work",
        "‹+44 20 7946 0958›",
        "‹+44 (0)20 7946 0958›",
        "‹020 7946 0958›",
        "‹07700 900123›",
        "mobile ‹07700900123›",
        "‹+49 151 23456789›",
        "‹+49 (0) 30 123456› oder ‹030/1234567›",
        "‹0049 151 23456789›",
        "‹0151-23456789›",
        "‹+33 6 12 34 56 78›",
        "tél. ‹06 12 34 56 78›",
        "Jean Dupont\n‹06 82 34 56 78›\nParis",
        "‹06.12.34.56.78›",
        "‹+34 612 345 678›",
        "‹+39 347 123 4567›",
        "‹+351 21 123 4567›",
        "‹+31 6 12345678›",
        "‹+46 70-123 45 67›",
        "‹+91 98765 43210›",
        "My number is ‹98765 43210›",
        "‹+86 138 1234 5678›",
        "phone: ‹13812345678›",
        "‹+81 90-1234-5678›",
        "‹03-1234-5678›",
        "‹+82 10-1234-5678›",
        "‹+55 11 91234-5678›",
        "‹(11) 91234-5678›",
        "‹+61 412 345 678› or ‹0412 345 678›",
        "‹(02) 9876 5432›",
        "‹+971 50 123 4567›",
        "‹+27 82 123 4567›",
        "‹+234 803 123 4567›",
        "‹+7 912 345-67-89›",
        "‹+972-54-123-4567›",
        "Text ‹4155552671› when you land",
        "Phone: ‹555-0199›",
        "tel:‹+4930123456›",
        "whatsapp ‹+353 1 234 5678›, thanks",
        "我的电话：‹+86 13812345678›。",
        "Fax ‹030 12345678›.",
        "wa.me/‹4915123456789›",
        "(call ‹+1 415 555 2671›)",
        "her cell is ‹415 555 2671› and mine ‹415 555 2672›",
        "Phone: ‹+49 (0) 62 32 / 14 23 - 0›",
        '{"phone": "‹13812345678›"}',
        "‹030 1234567›, ‹030 7654321›",
        "call ‹415-555-2671› (24 hours)",
    ],
    "card": [
        "My card is ‹4111 1111 1111 1111›, exp 12/27.",
        "‹4111111111111111›",
        "‹4111-1111-1111-1111› 123",
        "‹5555555555554444›",
        "‹5555 5555 5555 4444› 12/27 123",
        "‹2223003122003222›",
        "amex ‹3782 822463 10005›",
        "‹378282246310005›",
        "‹6011 1111 1111 1117›",
        "‹30569309025904›",
        "‹3530111333300000›",
        "卡号‹4111111111111111›",
        "‹6304 0000 0000 0000 000›",
        "‹4222222222222›",
    ],
    "iban": [
        "IBAN ‹DE89 3704 0044 0532 0130 00› BIC COBADEFFXXX",
        "‹DE89370400440532013000›",
        "‹GB29 NWBK 6016 1331 9268 19›",
        "‹FR14 2004 1010 0505 0001 3M02 606›",
        "‹NL91ABNA0417164300›",
        "‹CH93 0076 2011 6238 5295 7›",
        "‹NO93 8601 1117 947›",
        "‹ES9121000418450200051332›.",
        "‹pt50000201231234567890154›",
        "‹MT84 MALT 0110 0001 2345 MTLC AST0 01S›",
    ],
    "key": [
        "OPENAI_API_KEY=‹sk-abcdEFGH1234ijklMNOP5678qrstUVWX›",
        "use ‹sk-proj-Ab12Cd34Ef56Gh78Ij90Kl12Mn34Op56›",
        "‹sk-ant-api03-AbCdEf123456_7890-xyzXYZ›",
        "‹ghp_16C7e42F292c6912E7710c838347Ae178B4a›",
        "‹github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuv›",
        "‹AKIAIOSFODNN7EXAMPLE›",
        "aws_secret_access_key = ‹wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY›",
        "‹xoxb-123456789012-abcdefABCDEF›",
        "‹AIzaSyA1234567890abcdefghijklmnopqrstuv›",
        "‹sk_live_4eC39HqLyjWDarjtT1zdp7dc›",
        "‹hf_abcdefghijklmnopqrstuvwxyzABCDEFGH›",
        "‹glpat-ABCdef123456ghiJKL78›",
        "‹eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U›",
        "Authorization: Bearer ‹abcdef0123456789abcdef›",
        "‹-----BEGIN RSA PRIVATE KEY-----\nMIIEow+IBAAKCAQEA/1\nabcd==\n-----END RSA PRIVATE KEY-----›\nbye",
        "‹-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----›",
        "password: ‹hunter2›",
        "Password = ‹Tr0ub4dor&3›",
        'the password is "‹correct-horse-7›"',
        "my password is ‹Summer2024!›",
        "Username: ana\nPassword: ‹swordfish›\n",
        '{"password": "‹p4ssw0rd›", "user": "ana"}',
        "DB_PASSWORD=‹s3cr3t›",
        "passwd: ‹12345678›",
        "postgres://ana:‹pa55word›@db.example.com/x",
        "redis://:‹p4ss›@cache:6379",
        "api_key=‹3f2a9c1b8d7e4f60›",
        "api-key: '‹abcd1234efgh›'",
        "client_secret=‹8Q~abc12345defgh›",
        "token = ‹a1b2c3d4e5f6a7b8›",
        "the wifi passcode is ‹blue42fish›",
        "here: ‹q7Zt2LmX9vB4nK8sW1dR5yH3cJ6pF0gA› ok?",
        "‹1234567890:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawZ›",
    ],
}

ORDINARY = [
    "Meet on 2023-05-08 at 13:56, or 08.05.2023, 05/08/2023, 8 May 2023.",
    "2023-05-08T13:56:00+00:00",
    "from 01.02.2023 14 people came",
    "01-02-2023 10 guests",
    "on 12-15-2023 and 12/15/2023 09:30",
    "the years 2019-2020 and 2021-2022",
    "between 1990 2000 2010 2020",
    "20230508T135600Z 20230508",
    "1699999999 1699999999999 1699999999999999",
    "version 10.0.19045.3803, Python 3.11.7, v2.31.0-rc.1",
    "192.168.100.200 and 10.0.0.1:8080, 255.255.255.0",
    "2001:0db8:85a3:0000:0000:8a2e:0370:7334",
    "ssh root@192.168.1.1",
    "ssh deploy@server.example.com",
    "scp file.txt ana@host.example.org:/tmp",
    "git clone git@github.com:org/repo.git",
    "react@18.2.0, lodash@4.17.21, @angular/core@17.0.1",
    "logo@2x.png and icon@3x.jpg",
    "@app.route('/x') and @dataclass, thanks @ana and @user@mastodon.social",
    "user@localhost",
    "ISBN 978-3-16-148410-0, ISBN-10 0-306-40615-2, isbn 9780306406157",
    "ISSN 0317-8471",
    "EAN 4006381333931, UPC 036000291452, GTIN 00012345600012",
    "Order 112-3456789-1234567 was shipped",
    "order number 415-555-2671",
    "Order #0123-4567-89",
    "invoice 2023-000123, ticket 0456-789-123",
    "tracking 1Z999AA10123456784 and 9400 1000 0000 0000 0000 00",
    "Tracking number: 4111111111111111",
    "IMEI 356938035643809",
    "commit 4609481 and 18d08105bd2f9c0a7e6f1234567890abcdef1234",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
    "550e8400-e29b-41d4-a716-446655440000",
    "12345678-1234-1234-1234-123456789012",
    "1,234,567.89 and 1 234 567 and 1.234.567",
    "population 331 002 651, area 9 833 520",
    "pi is 3.14159265358979323846",
    "0.123 0.456 0.789",
    "40.712776, -74.005974",
    "lottery numbers 05 12 23 34 41",
    "01 02 03 04 05 06",
    "the score was 021-456",
    "GPU: RTX 4090, 24 GB; CPU i7-13700K",
    "$1,200,000 and €2.500.000 and 15,000,000 people",
    "room 415, floor 555, box 2671",
    "call 2000000 customers",
    "call me at 10:30 on 2023-11-05",
    "call 911 or 112",
    "text 741741",
    "my iPhone 14 Pro Max has 256 GB",
    "phone 15 128 GB",
    "+15% and +1000 points, x = a +1234",
    "UTC+01:00, GMT+5:30",
    "zip 94103-1234 and 10115",
    "SSN-like 3-2-4 shapes are not asked for",
    "1111 2222 3333 4444",
    "4111 1111 1111 1112",
    "4000 4100 4200 4300 4400 4500 4600",
    "2010 2011 2012 2013",
    "DE88 3704 0044 0532 0130 00",
    "VAT DE123456789, GB123456789",
    "AB12 CDE",
    "password: str = field()",
    "password: must be at least 8 characters",
    "The password is too short and case-sensitive.",
    "Password: required",
    "password = os.environ['DB_PASSWORD']",
    "connect(user=user, password=password)",
    "password=${DB_PASSWORD} token={{ secrets.TOKEN }} api_key=$KEY",
    'api_key="YOUR_API_KEY" and api_key=your-api-key-here-123',
    "password: ********",
    "max_tokens=4096, token: 512, tokens: 1024",
    "token = tokenizer.next_token(position2)",
    "The secret: patience. The secret is 20 minutes of rest.",
    "secret = get_secret('x1')",
    "getUserAccountSettingsByIdV2HandlerFactory",
    "src/components/Button2/FormField3/index4.test.tsx",
    "very-long-slug-about-the-10-best-places-to-visit-in-2023-and-24",
    "https://docs.google.com/document/d/1aBcD2eFgH3iJkL4mNoP5qRsT6uVwX7yZ8aB9cD0eF1g/edit",
    "https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=42s",
    "https://example.com/415-555-2671/index.html",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ana",
    "SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8",
    'if "-----BEGIN RSA PRIVATE KEY-----" in text: raise ValueError("no")',
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "for i in range(1000000000): total += 0x1F600 + 0b1010101010",
    "x = 415-555; y = 2671",
    "doi:10.1000/182 and arXiv:2106.09685",
    "E = 1.602176634e-19",
    "ACTGACTGACTGACTGACTGACTGACTGACTGACTG",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "AaBbCcDdEeFfGgHhIiJjKkLlMmNnOoPpQqRrSsTtUuVvWwXxYyZz",
    "MAX_CONNECTION_RETRY_ATTEMPTS_BEFORE_FAILURE_2",
    "ratio 16:9, 4:3, 21:9; 1080p 60 fps; 3840x2160",
    "Flight LH 0430 at gate B12, seat 14C, PNR X7K9QZ",
    "bake at 180 for 25 30 minutes with 200 300 400 grams",
    "token: str, secret: bytes, api_key: str | None = None",
    "Bearer tokens are explained in chapter 12.",
    "he was number 0151 23 of the list of 99",
    "My number one tip: 10 20 30 40 50 60",
]


def list_marked_texts() -> list[tuple[str, str]]:
    return [(kind, text) for kind, texts in PERSONAL.items() for text in texts]


def plain(text: str) -> str:
    return text.replace("‹", "").replace("›", "")


@pytest.mark.parametrize(("kind", "text"), list_marked_texts())
def test_redact_removes_personal_data(kind: str, text: str) -> None:
    wanted, times = re.subn("‹[^›]*›", f"[{kind} removed]", text)
    assert redact(plain(text)) == (wanted, {kind: times})


@pytest.mark.parametrize("text", ORDINARY)
def test_redact_keeps_ordinary_text(text: str) -> None:
    assert redact(text) == (text, {})


def test_examples_are_many_and_cover_all_kinds() -> None:
    assert len(list_marked_texts()) >= 40
    assert len(ORDINARY) >= 60
    assert set(PERSONAL) == ALL_KINDS


@pytest.mark.parametrize(("kind", "text"), [(kind, texts[0]) for kind, texts in PERSONAL.items()])
def test_redact_removes_only_requested_kinds(kind: str, text: str) -> None:
    text = plain(text)
    assert redact(text, [kind]).counts == {kind: 1}
    assert redact(text, ALL_KINDS - {kind}) == (text, {})
    assert redact(text, ()) == (text, {})


def test_unknown_kind_is_refused() -> None:
    with pytest.raises(InvalidInput, match="unknown kind of data 'shoe'; known kinds are card, iban, key, mail, phone"):
        redact("text", ["mail", "shoe"])


def test_redact_removes_several_kinds_at_once() -> None:
    text = "Ana (ana@example.org, +351 21 123 4567) paid with 4111 1111 1111 1111; b@example.org did not."
    assert redact(text) == (
        "Ana ([mail removed], [phone removed]) paid with [card removed]; [mail removed] did not.",
        {"mail": 2, "card": 1, "phone": 1},
    )


def test_redacted_json_stays_valid() -> None:
    value = {"mail": "ana@example.org", "password": "p4ssw0rd", "phone": "+49 151 23456789", "when": "2026-05-13"}
    assert json.loads(redact(json.dumps(value)).text) == {
        "mail": "[mail removed]",
        "password": "[key removed]",
        "phone": "[phone removed]",
        "when": "2026-05-13",
    }


@given(st.from_regex(r"[4][0-9]{14}", fullmatch=True))
def test_card_number_needs_valid_check_digit(beginning: str) -> None:
    assert sum(is_card_number(f"{beginning}{digit}") for digit in range(10)) == 1


@given(st.from_regex(r"[0-9]{18}", fullmatch=True))
def test_iban_needs_valid_checksum(rest: str) -> None:
    check = next(f"{number:02}" for number in range(2, 99) if is_iban(f"DE{number:02}{rest}"))
    changed = str((int(rest[5]) + 1) % 10)
    assert not is_iban(f"DE{check}{rest[:5]}{changed}{rest[6:]}")
    assert redact(f"to DE{check}{rest} today").text == "to [iban removed] today"


# -- twice is once

MARKERS = [f"[{kind} removed]" for kind in sorted(ALL_KINDS)]
SCRAPS = [
    *(plain(text) for _, text in list_marked_texts()),
    *ORDINARY,
    *MARKERS,
    "password: ",
    "call ",
    "order ",
    "415",
    "0049",
    "+49",
    "DE89",
]
GLUE = [" ", "", "\n", ".", ", ", "/", "-", ":", "(", ")", "@", "+", "=", "1", "0", "a", "[", "]", "é", "電話"]


@given(
    st.lists(st.tuples(st.sampled_from(SCRAPS), st.sampled_from(GLUE)), max_size=6),
    st.sets(st.sampled_from(sorted(ALL_KINDS))),
)
@example([("0049", " ")] * 6, set(ALL_KINDS))
def test_redact_is_idempotent_on_joined_fragments(scraps: list[tuple[str, str]], kinds: set[str]) -> None:
    once = redact("".join(scrap + glue for scrap, glue in scraps), kinds)
    assert redact(once.text, kinds) == (once.text, {})


@given(
    st.lists(st.sampled_from([*GLUE, *"23456789", "4111", "DE89", "sk-", "com", "password", "is ", "tel", "x"]), max_size=60)
)
def test_redact_is_idempotent_on_random_fragments(pieces: list[str]) -> None:
    once = redact("".join(pieces))
    assert redact(once.text) == (once.text, {})


@given(st.text())
def test_redact_is_idempotent_on_any_text(text: str) -> None:
    once = redact(text)
    assert redact(once.text) == (once.text, {})
    assert bool(once.counts) == (once.text != text)


# -- time

NUMBER = " 415-555-2671 "
"""Lets every finder look: without a long number anywhere most of them need not."""
REPEATED = [
    "a", "1", "1 ", "12 ", "4111 ", "4111-", "+1", "+1 ", "+49 1 2 ", "00 ", "0049 ", "01 ", "(0", "(", "-", "@", "a@", "a.",
    "a@a.", "-----BEGIN RSA PRIVATE KEY-----", "-----BEGIN RSA PRIVATE KEY----- a-b ", "password: ", "password=a1", "DE89",
    "password is ", "DE89 3704 0044 ", "call ", "call me at on ", "phone : . : . ", "://", "://a:b", "eyJ", "eyJaaaaaaaaa.",
    "[", "[mail removed]", "q7Zt2LmX9vB4nK8sW1dR5yH3cJ6pF0gA ", "://a q7Zt2LmX9vB4nK8sW1dR5yH3cJ6pF0gA ", "ssh a@b.co ",
    "Bearer ", "order number 415-555-2671 ", "x" * 31 + " ", "é", "\n", "&a", "password=&",
]  # fmt: skip


@pytest.mark.parametrize("repeated", REPEATED)
def test_redact_takes_linear_time(repeated: str) -> None:
    """Repeated text that could make a pattern backtrack."""
    text = NUMBER + repeated * (50_000 // len(repeated)) + NUMBER
    once = seconds(lambda: redact(text))
    assert seconds(lambda: redact(text * 4)) < max(0.2, 8 * once)


def test_redact_handles_a_megabyte_quickly() -> None:
    text = "\n".join([*(plain(text) for _, text in list_marked_texts()), *ORDINARY])
    text *= 1_000_000 // len(text)
    began = time.process_time()
    found = redact(text)
    assert time.process_time() - began < 5
    assert sum(found.counts.values()) > 10_000


MAIL = "ana@example.org"
ASIDE = {"mine": {"summary": [{"text": f"from {MAIL}"}], "size": 3}}


def test_redactor_covers_part_data_and_door_metadata() -> None:
    """The data of content parts and the metadata of adapters are redacted, because they are stored and sent again."""
    part = ContentPart("thought", data={"steps": [f"ask {MAIL}", None, 7]})
    made = PersonalDataRedactor(["mail"]).draft(
        MessageDraft("assistant", (part,), metadata={"adapters": ASIDE, "own": MAIL})
    )
    assert isinstance(made.content, tuple)
    assert made.content[0].data == {"steps": ["ask [mail removed]", None, 7]}
    assert made.metadata == {"own": MAIL, "redacted": {"mail": 1}}, "of what is in the words, nothing is kept beside them"
    beside = PersonalDataRedactor(["mail"]).draft(MessageDraft("assistant", "Done.", metadata={"adapters": ASIDE}))
    assert beside.metadata == {
        "adapters": {"mine": {"summary": [{"text": "from [mail removed]"}], "size": 3}},
        "redacted": {"mail": 1},
    }
    untouched = MessageDraft("assistant", "Done.", metadata={"adapters": {"mine": 1}})
    assert PersonalDataRedactor(["mail"]).draft(untouched) is untouched
