"""The parts of the Redis ledger that need no server: URLs, names of keys, rows as bytes, and what an error means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from redis import exceptions
from redis.crc import key_slot

from recollect.errors import ConfigError, NewerStore, StorageError, StoreBusy, StoreFull, StoreUnavailable
from recollect.storage.mirror.codec import decode, encode
from recollect.storage.redis import RedisOptions, durability
from recollect.storage.redis.faults import TooFewReplicas, is_elsewhere, passes, plainly
from recollect.storage.redis.keys import Keys

# -- URLs


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("redis://", RedisOptions()),
        ("redis://localhost", RedisOptions()),
        ("redis://:7000", RedisOptions(nodes=(("localhost", 7000),))),
        ("redis://one:7000/3", RedisOptions(nodes=(("one", 7000),), db=3)),
        ("redis://one/?db=3", RedisOptions(nodes=(("one", 6379),), db=3)),
        ("rediss://[::1]:7000/", RedisOptions(nodes=(("::1", 7000),), tls=True)),
        ("redis://one?cluster=true", RedisOptions(nodes=(("one", 6379),), cluster=True)),
        ("redis+cluster://one:1,two:2", RedisOptions(nodes=(("one", 1), ("two", 2)), cluster=True)),
        ("rediss+cluster://one", RedisOptions(nodes=(("one", 6379),), cluster=True, tls=True)),
        ("redis://ann@one", RedisOptions(nodes=(("one", 6379),), username="ann")),
        ("redis://:p%40ss%2Fword@one", RedisOptions(nodes=(("one", 6379),), password="p@ss/word")),
        ("redis://ann:p@ss@one", RedisOptions(nodes=(("one", 6379),), username="ann", password="p@ss")),
        (
            "redis://?prefix=a:b&wait=2&wait_timeout=0.5&log=50&patience=0&timeout=2&connections=9&expire_days=400&protocol=3",
            RedisOptions(
                prefix="a:b",
                wait=2,
                wait_timeout=0.5,
                log=50,
                patience=0,
                timeout=2,
                connections=9,
                expire_days=400,
                protocol=3,
            ),
        ),
        ("rediss://?tls_ca=/a&tls_cert=/b&tls_key=/c", RedisOptions(tls=True, tls_ca="/a", tls_cert="/b", tls_key="/c")),
    ],
)
def test_a_url_is_read(url: str, expected: RedisOptions) -> None:
    assert RedisOptions.parse(url) == expected


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://one", "known are redis, rediss"),
        ("redis://one:x", "no host:port"),
        ("redis://one:70000", "no host:port"),
        ("redis://one/x", "db='x'"),
        ("redis://one/-1", "db=-1"),
        ("redis://one?colour=red", "no option 'colour'; known are cluster"),
        ("redis://one?wait=some", "wait='some'"),
        ("redis://one?wait=-1", "wait=-1"),
        ("redis://one?log=0", "log=0: must be 1 or more"),
        ("redis://one?timeout=0", "timeout=0"),
        ("redis://one?expire_days=0", "expire_days=0"),
        ("redis://one?prefix={x}", "prefix='{x}'"),
        ("redis://one?prefix=", "prefix=''"),
        ("redis://one?protocol=4", "protocol=4"),
        ("redis://one?cluster=perhaps", "cluster='perhaps'"),
        ("redis://one/3?cluster=true", "db=3"),
        ("redis://one?wait=1&wait_timeout=9", "wait_timeout=9"),
    ],
)
def test_a_url_that_cannot_be_meant_is_refused(url: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        RedisOptions.parse(url)
    assert said in str(caught.value)


def test_a_password_is_not_shown() -> None:
    with pytest.raises(ConfigError) as caught:
        RedisOptions.parse("redis://ann:secret@one:x")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(("net", "retention", "said"), [(30, 365, "keeps for 365 days"), (9999, None, "keeps for ever")])
def test_a_net_never_ends_before_retention(net: float, retention: float | None, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        RedisOptions(expire_days=net).check_net(retention)
    RedisOptions(expire_days=net).check_net(net - 1)
    RedisOptions().check_net(retention)


# -- keys and rows


@given(st.text(max_size=20))
def test_the_keys_of_a_unit_are_in_one_slot_by_a_tag_of_its_own(unit: str) -> None:
    keys = Keys("recollect").of(unit)
    assert len({key_slot(key.encode()) for key in keys}) == 1
    tags = [key[key.index("{") + 1 : key.index("}")] for key in keys]
    assert tags[0]
    assert all(tag == tags[0] and key.count("{") == key.count("}") == 1 for tag, key in zip(tags, keys, strict=True))


@given(st.text(max_size=8), st.text(max_size=8))
def test_two_units_never_share_a_key(one: str, other: str) -> None:
    keys = Keys("recollect")
    assert (keys.of(one) == keys.of(other)) == (one == other)


@given(
    st.dictionaries(st.text(max_size=5), st.none() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary())
)
def test_rows_are_the_same_bytes_whatever_the_order_of_their_columns(columns: dict[str, object]) -> None:
    backwards = dict(reversed(columns.items()))
    assert encode(columns) == encode(backwards)
    assert decode(encode(columns)) == columns


def test_half_a_character_is_kept() -> None:
    assert decode(encode({"text": "a\ud800b"})) == {"text": "a\ud800b"}


def test_a_row_of_a_newer_version_is_not_guessed_at() -> None:
    with pytest.raises(NewerStore):
        decode(b"\x02" + encode({"n": 1})[1:])


# -- errors


@pytest.mark.parametrize(
    ("error", "passing", "elsewhere", "ours"),
    [
        (exceptions.ConnectionError("refused"), True, True, StoreUnavailable),
        (exceptions.TimeoutError("slow"), True, True, StoreUnavailable),
        (exceptions.BusyLoadingError("loading"), True, False, StoreUnavailable),
        (exceptions.ReadOnlyError("replica"), True, True, StoreUnavailable),
        (exceptions.ResponseError("Error running script: -READONLY You can't write"), True, True, StoreUnavailable),
        (exceptions.ClusterDownError("down"), True, True, StoreUnavailable),
        (exceptions.MasterDownError("down"), True, True, StoreUnavailable),
        (exceptions.MovedError("1 one:7000"), True, True, StoreUnavailable),
        (exceptions.AskError("1 one:7000"), True, True, StoreUnavailable),
        (exceptions.TryAgainError("split"), True, False, StoreUnavailable),
        (exceptions.ResponseError("NOREPLICAS Not enough good replicas to write."), True, True, StoreUnavailable),
        (exceptions.ResponseError("BUSY Redis is busy running a script."), True, True, StoreUnavailable),
        (TooFewReplicas("only 0"), True, False, StoreUnavailable),
        (exceptions.ConnectionError("No connection available."), True, False, StoreBusy),
        (exceptions.MaxConnectionsError("Too many connections"), True, False, StoreBusy),
        (exceptions.OutOfMemoryError("command not allowed"), False, False, StoreFull),
        (exceptions.ResponseError("Error running script: -OOM command not allowed"), False, False, StoreFull),
        (exceptions.ResponseError("MISCONF Redis is configured to save RDB snapshots"), False, False, StoreFull),
        (exceptions.AuthenticationError("WRONGPASS"), False, False, ConfigError),
        (exceptions.NoPermissionError("no permissions"), False, False, ConfigError),
        (exceptions.ResponseError("ERR This instance has cluster support disabled"), False, False, ConfigError),
        (exceptions.ResponseError("WRONGTYPE Operation against a key"), False, False, StorageError),
        (OSError("broken"), True, True, StoreUnavailable),
    ],
)
def test_every_error_has_its_meaning(error: Exception, passing: bool, elsewhere: bool, ours: type) -> None:
    assert (passes(error), is_elsewhere(error), type(plainly(error, 1))) == (passing, elsewhere, ours)


@pytest.mark.parametrize(
    ("about", "expected"),
    [
        (durability.About(), [durability.UNKNOWN]),
        (durability.About(appends=False), [durability.UNKNOWN]),
        (durability.About(appends=False, snapshots=False), [durability.NOTHING]),
        (durability.About(appends=False, snapshots=True), [durability.SNAPSHOTS]),
        (durability.About(appends=True), []),
        (durability.About(appends=True, policy="allkeys-lfu"), []),
        (durability.About(appends=True, policy="allkeys-lfu", limited=True), [durability.EVICTS.format("allkeys-lfu")]),
    ],
)
def test_what_is_said_to_whoever_runs_it(about: durability.About, expected: list[str]) -> None:
    assert durability.warnings(about, RedisOptions()) == expected
