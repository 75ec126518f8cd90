"""Calls to Redis: sent to the server that has the key, and again while what failed may pass."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from redis.exceptions import AskError, NoScriptError

from recollect.errors import StoreClosed
from recollect.storage.redis.faults import FAILURES, TooFewReplicas, is_elsewhere, is_moved, passes, plainly
from recollect.storage.redis.options import Address, RedisOptions
from recollect.storage.redis.scripts import Script
from recollect.storage.redis.servers import ClusterServers, Command, OneServer, Server, Servers, send

Result = TypeVar("Result")

FIRST_PAUSE, LONGEST_PAUSE = 0.01, 0.5


class Calls:
    """Everything sent through this is safe to be sent twice; what leaves it are our own errors only."""

    def __init__(self, options: RedisOptions) -> None:
        self._options = options
        self._servers: Servers = ClusterServers(options) if options.cluster else OneServer(options)
        self._closed = threading.Event()

    def read(self, key: str, *command: Any) -> Any:
        """The answer of the server that has a key."""
        return self._again(lambda: self._ask(key, [(command[0], key, *command[1:])]))[0]

    def read_each(self, commands: Sequence[Command]) -> list[Any]:
        """The answers to commands whose second word is a key, in their order; one round trip for each server."""
        return self._again(lambda: self._ask_each(commands))

    def write(self, key: str, *command: Any) -> Any:
        """The answer to a change, once as many replicas have it as the options say."""
        return self._again(lambda: self._change(key, (command[0], key, *command[1:])))

    def run(self, script: Script, keys: Sequence[str], arguments: Sequence[Any]) -> Any:
        """The answer of a script that only reads."""
        return self._again(lambda: self._with_script(script, keys, arguments, self._ask_one))

    def run_change(self, script: Script, keys: Sequence[str], arguments: Sequence[Any]) -> Any:
        """The answer of a script that changes something, once as many replicas have it as the options say."""
        return self._again(lambda: self._with_script(script, keys, arguments, self._change))

    def try_once(self, key: str, *command: Any) -> Any:
        """The answer to what is not worth to wait for; None if there is none."""
        try:
            return self._ask_one(key, (command[0], key, *command[1:]))
        except FAILURES:
            return None

    def listen(self, stream: str, last: bytes, milliseconds: int) -> bool:
        """Whether there is something behind an entry of a stream, or comes in time."""
        return bool(self._again(lambda: self._ask_one(stream, ("XREAD", "BLOCK", milliseconds, "STREAMS", stream, last))))

    def each_server(self, question: Callable[[Server], Result]) -> list[Result]:
        """The answers of all servers that have keys."""
        return self._again(lambda: [question(server) for server in self._servers.everyone()])

    @property
    def is_closed(self) -> bool:
        """Whether this came to its end."""
        return self._closed.is_set()

    def pause(self, seconds: float) -> None:
        """Waits, but not beyond the end."""
        self._closed.wait(seconds)

    def stop(self) -> None:
        """Ends all waiting; whoever calls from now on learns that it is closed."""
        self._closed.set()

    def close(self) -> None:
        """Gives back all connections."""
        self.stop()
        self._servers.close()

    def _again(self, call: Callable[[], Result]) -> Result:
        patience, pause = self._options.patience, FIRST_PAUSE
        end = time.monotonic() + patience
        while not self.is_closed:
            knowledge = self._servers.knowledge
            try:
                return call()
            except Exception as error:
                if self.is_closed:
                    break
                if not isinstance(error, FAILURES):
                    raise
                if not passes(error) or time.monotonic() > end:
                    raise plainly(error, patience) from error
                if pause > FIRST_PAUSE or not is_moved(error):
                    self.pause(random.uniform(pause / 2, pause))
                pause = min(pause * 2, LONGEST_PAUSE)
                if is_elsewhere(error):
                    self._learn(knowledge)
        raise StoreClosed("this ledger was closed")

    def _learn(self, knowledge: int) -> None:
        try:
            self._servers.learn(knowledge)
        except FAILURES:
            return  # nobody can be asked at present; the call itself will say so, or find somebody

    def _ask(self, key: str, commands: Sequence[Command]) -> list[Any]:
        try:
            return send(self._servers.of(key), commands)
        except AskError as error:
            if is_moved(error):
                raise
            return send(self._servers.at(_address(error)), commands, asking=True)

    def _ask_one(self, key: str, command: Command) -> Any:
        return self._ask(key, [command])[0]

    def _ask_each(self, commands: Sequence[Command]) -> list[Any]:
        places: dict[int, list[int]] = {}
        for place, command in enumerate(commands):
            places.setdefault(id(self._servers.of(command[1])), []).append(place)
        answers: dict[int, Any] = {}
        for some in places.values():
            answers.update(zip(some, self._ask_some([commands[place] for place in some]), strict=True))
        return [answers[place] for place in range(len(commands))]

    def _ask_some(self, commands: Sequence[Command]) -> list[Any]:
        """The answers to commands for one server. If it is just giving some keys away, each is asked for by itself."""
        try:
            return send(self._servers.of(commands[0][1]), commands)
        except AskError as error:
            if is_moved(error):
                raise
            return [self._ask_one(command[1], command) for command in commands]

    def _change(self, key: str, command: Command) -> Any:
        wait = self._options.wait
        if not wait:
            return self._ask_one(key, command)
        answer, replicas = self._ask(key, [command, ("WAIT", wait, int(self._options.wait_timeout * 1000))])
        if replicas < wait:
            raise TooFewReplicas(f"only {replicas} of {wait} replicas have confirmed it")
        return answer

    def _with_script(
        self, script: Script, keys: Sequence[str], arguments: Sequence[Any], ask: Callable[[str, Command], Any]
    ) -> Any:
        try:
            return ask(keys[0], ("EVALSHA", script.sha, len(keys), *keys, *arguments))
        except NoScriptError:
            return ask(keys[0], ("EVAL", script.source, len(keys), *keys, *arguments))


def _address(error: Any) -> Address:
    return error.node_addr
