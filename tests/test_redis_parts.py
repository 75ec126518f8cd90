"""The parts of the Redis ledger that need no server: URLs, names of keys, rows as bytes, and what an error means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from redis import exceptions
from redis.crc import key_slot

from keepsaid.errors import ConfigError, NewerStore, StorageError, StoreBusy, StoreFull, StoreUnavailable
from keepsaid.storage.redis import RedisOptions, durability
from keepsaid.storage.redis.errors import TooFewReplicas, is_transient, may_need_other_server, translate_error
from keepsaid.storage.redis.keys import RedisKeys
from keepsaid.storage.replica.codec import decode, encode

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
def test_url_is_parsed(url: str, expected: RedisOptions) -> None:
    assert RedisOptions.parse(url) == expected


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://one", "known are redis, rediss"),
        ("redis://one:x", "not host:port"),
        ("redis://one:70000", "not host:port"),
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
def test_invalid_url_is_refused(url: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        RedisOptions.parse(url)
    assert said in str(caught.value)


def test_url_error_hides_password() -> None:
    with pytest.raises(ConfigError) as caught:
        RedisOptions.parse("redis://ann:secret@one:x")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(("net", "retention", "said"), [(30, 365, "keeps for 365 days"), (9999, None, "keeps forever")])
def test_expiry_shorter_than_retention_is_refused(net: float, retention: float | None, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        RedisOptions(expire_days=net).check_expiry(retention)
    RedisOptions(expire_days=net).check_expiry(net - 1)
    RedisOptions().check_expiry(retention)


# -- keys and rows


@given(st.text(max_size=20))
def test_keys_of_a_unit_share_one_hash_slot(unit: str) -> None:
    keys = RedisKeys("keepsaid").partition_keys(unit)
    assert len({key_slot(key.encode()) for key in keys}) == 1
    tags = [key[key.index("{") + 1 : key.index("}")] for key in keys]
    assert tags[0]
    assert all(tag == tags[0] and key.count("{") == key.count("}") == 1 for tag, key in zip(tags, keys, strict=True))


@given(st.text(max_size=8), st.text(max_size=8))
def test_different_units_have_different_keys(one: str, other: str) -> None:
    keys = RedisKeys("keepsaid")
    assert (keys.partition_keys(one) == keys.partition_keys(other)) == (one == other)


@given(
    st.dictionaries(st.text(max_size=5), st.none() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary())
)
def test_encoding_does_not_depend_on_column_order(columns: dict[str, object]) -> None:
    backwards = dict(reversed(columns.items()))
    assert encode(columns) == encode(backwards)
    assert decode(encode(columns)) == columns


def test_encoding_keeps_lone_surrogates() -> None:
    assert decode(encode({"text": "a\ud800b"})) == {"text": "a\ud800b"}


def test_decoding_row_of_newer_version_is_refused() -> None:
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
def test_redis_errors_are_classified_and_translated(error: Exception, passing: bool, elsewhere: bool, ours: type) -> None:
    assert (is_transient(error), may_need_other_server(error), type(translate_error(error, 1))) == (passing, elsewhere, ours)


@pytest.mark.parametrize(
    ("about", "expected"),
    [
        (durability.RedisServerInfo(), [durability.UNKNOWN_DURABILITY]),
        (durability.RedisServerInfo(appends=False), [durability.UNKNOWN_DURABILITY]),
        (durability.RedisServerInfo(appends=False, snapshots=False), [durability.NO_PERSISTENCE]),
        (durability.RedisServerInfo(appends=False, snapshots=True), [durability.SNAPSHOTS_ONLY]),
        (durability.RedisServerInfo(appends=True), []),
        (durability.RedisServerInfo(appends=True, policy="allkeys-lfu"), []),
        (
            durability.RedisServerInfo(appends=True, policy="allkeys-lfu", limited=True),
            [durability.EVICTS_KEYS.format("allkeys-lfu")],
        ),
    ],
)
def test_durability_warnings_match_server_settings(about: durability.RedisServerInfo, expected: list[str]) -> None:
    assert durability.durability_warnings(about, RedisOptions()) == expected
