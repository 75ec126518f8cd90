"""Calls to Redis: routed to the server that has the key, and retried after transient failures."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from redis.exceptions import AskError, NoScriptError

from keepsaid.errors import StoreClosed
from keepsaid.storage.redis.errors import (
    REDIS_FAILURES,
    TooFewReplicas,
    is_moved,
    is_transient,
    may_need_other_server,
    translate_error,
)
from keepsaid.storage.redis.options import RedisAddress, RedisOptions
from keepsaid.storage.redis.scripts import LuaScript
from keepsaid.storage.redis.servers import (
    ClusterServerRouter,
    RedisCommand,
    RedisServer,
    RedisServerRouter,
    SingleServerRouter,
    send_commands,
)

Result = TypeVar("Result")

FIRST_PAUSE, MAX_PAUSE_SECONDS = 0.01, 0.5


class RetryingRedisClient:
    """A client for calls that are safe to repeat. It raises only our own errors."""

    def __init__(self, options: RedisOptions) -> None:
        self._options = options
        self._servers: RedisServerRouter = ClusterServerRouter(options) if options.cluster else SingleServerRouter(options)
        self._closed = threading.Event()

    def read(self, key: str, *command: Any) -> Any:
        """Run a command on the server that has a key."""
        return self._retry(lambda: self._ask(key, [(command[0], key, *command[1:])]))[0]

    def read_each(self, commands: Sequence[RedisCommand]) -> list[Any]:
        """Run commands whose second word is a key, in one round trip for each server. Answers are in the order of
        commands."""
        return self._retry(lambda: self._ask_each(commands))

    def write(self, key: str, *command: Any) -> Any:
        """Run a change, and wait until as many replicas have it as the options say."""
        return self._retry(lambda: self._change(key, (command[0], key, *command[1:])))

    def run(self, script: LuaScript, keys: Sequence[str], arguments: Sequence[Any]) -> Any:
        """Run a script that only reads."""
        return self._retry(lambda: self._with_script(script, keys, arguments, self._ask_one))

    def run_change(self, script: LuaScript, keys: Sequence[str], arguments: Sequence[Any]) -> Any:
        """Run a script that changes data, and wait until as many replicas have it as the options say."""
        return self._retry(lambda: self._with_script(script, keys, arguments, self._change))

    def try_once(self, key: str, *command: Any) -> Any:
        """Run a command without retries. Return None if it fails."""
        try:
            return self._ask_one(key, (command[0], key, *command[1:]))
        except REDIS_FAILURES:
            return None

    def listen(self, stream: str, last: bytes, milliseconds: int) -> bool:
        """Whether a stream has entries after the last one, or gets one in time."""
        return bool(self._retry(lambda: self._ask_one(stream, ("XREAD", "BLOCK", milliseconds, "STREAMS", stream, last))))

    def each_server(self, question: Callable[[RedisServer], Result]) -> list[Result]:
        """Call a function for every server that has keys."""
        return self._retry(lambda: [question(server) for server in self._servers.all_servers()])

    @property
    def is_closed(self) -> bool:
        """Whether the client was stopped."""
        return self._closed.is_set()

    def pause(self, seconds: float) -> None:
        """Wait, but no longer than until the client is stopped."""
        self._closed.wait(seconds)

    def stop(self) -> None:
        """End all waiting. Later calls raise `StoreClosed`."""
        self._closed.set()

    def close(self) -> None:
        """Release all connections."""
        self.stop()
        self._servers.close()

    def _retry(self, call: Callable[[], Result]) -> Result:
        patience, pause = self._options.patience, FIRST_PAUSE
        end = time.monotonic() + patience
        while not self.is_closed:
            knowledge = self._servers.map_version
            try:
                return call()
            except Exception as error:
                if self.is_closed:
                    break
                if not isinstance(error, REDIS_FAILURES):
                    raise
                if not is_transient(error) or time.monotonic() > end:
                    raise translate_error(error, patience) from error
                if pause > FIRST_PAUSE or not is_moved(error):
                    self.pause(random.uniform(pause / 2, pause))
                pause = min(pause * 2, MAX_PAUSE_SECONDS)
                if may_need_other_server(error):
                    self._refresh_map(knowledge)
        raise StoreClosed("this ledger was closed")

    def _refresh_map(self, knowledge: int) -> None:
        try:
            self._servers.refresh_map(knowledge)
        except REDIS_FAILURES:
            return  # no server answers now; the call itself will fail, or find one

    def _ask(self, key: str, commands: Sequence[RedisCommand]) -> list[Any]:
        try:
            return send_commands(self._servers.server_for_key(key), commands)
        except AskError as error:
            if is_moved(error):
                raise
            return send_commands(self._servers.server_at(_address(error)), commands, asking=True)

    def _ask_one(self, key: str, command: RedisCommand) -> Any:
        return self._ask(key, [command])[0]

    def _ask_each(self, commands: Sequence[RedisCommand]) -> list[Any]:
        places: dict[int, list[int]] = {}
        for place, command in enumerate(commands):
            places.setdefault(id(self._servers.server_for_key(command[1])), []).append(place)
        answers: dict[int, Any] = {}
        for some in places.values():
            answers.update(zip(some, self._ask_server([commands[place] for place in some]), strict=True))
        return [answers[place] for place in range(len(commands))]

    def _ask_server(self, commands: Sequence[RedisCommand]) -> list[Any]:
        """Run commands for one server. While it hands keys to another server, run each command separately."""
        try:
            return send_commands(self._servers.server_for_key(commands[0][1]), commands)
        except AskError as error:
            if is_moved(error):
                raise
            return [self._ask_one(command[1], command) for command in commands]

    def _change(self, key: str, command: RedisCommand) -> Any:
        wait = self._options.wait
        if not wait:
            return self._ask_one(key, command)
        answer, replicas = self._ask(key, [command, ("WAIT", wait, int(self._options.wait_timeout * 1000))])
        if replicas < wait:
            raise TooFewReplicas(f"only {replicas} of {wait} replicas have confirmed it")
        return answer

    def _with_script(
        self, script: LuaScript, keys: Sequence[str], arguments: Sequence[Any], ask: Callable[[str, RedisCommand], Any]
    ) -> Any:
        try:
            return ask(keys[0], ("EVALSHA", script.sha, len(keys), *keys, *arguments))
        except NoScriptError:
            return ask(keys[0], ("EVAL", script.source, len(keys), *keys, *arguments))


def _address(error: Any) -> RedisAddress:
    return error.node_addr
