"""Codex' own server, as its terminal and editors use it: a thread with an approval policy, and a person who says no."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
import time
import typing

if typing.TYPE_CHECKING:
    from tests.clients.world import World


class Conversation:
    """JSON messages in lines, both ways."""

    def __init__(self, process: subprocess.Popen[str], limit_s: float) -> None:
        self._process = process
        self._messages: queue.Queue[dict[str, typing.Any]] = queue.Queue()
        self._number = 0
        self._end = time.monotonic() + limit_s
        threading.Thread(target=self._read, daemon=True).start()
        self.asked: list[str] = []

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._messages.put(json.loads(line))

    def send(self, message: dict[str, typing.Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def request(self, method: str, params: dict[str, typing.Any]) -> typing.Any:
        self._number += 1
        number = self._number
        self.send({"id": number, "method": method, "params": params})
        answer = self.wait(lambda told: told.get("id") == number and "method" not in told)
        assert "result" in answer, answer
        return answer["result"]

    def wait(self, wanted: typing.Callable[[dict[str, typing.Any]], bool]) -> dict[str, typing.Any]:
        """The first message that is wanted; questions that come before are declined."""
        while True:
            told = self._messages.get(timeout=max(0.1, self._end - time.monotonic()))
            if "method" in told and "id" in told:
                self.asked.append(told["method"])
                is_form = "elicitation" in told["method"]
                no = {"action": "decline", "content": None} if is_form else {"decision": "decline"}
                self.send({"id": told["id"], "result": no})
            elif wanted(told):
                return told


def converse(argv: list[str], world: World, policy: str, limit_s: float) -> str:
    """One turn under an approval policy; how often a person was asked."""
    process = subprocess.Popen(
        argv,
        cwd=world.work,
        env=world.variables(LOOP_KEY="x"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        talk = Conversation(process, limit_s)
        who = {"name": "test", "title": "test", "version": "1"}
        talk.request("initialize", {"clientInfo": who, "capabilities": {"experimentalApi": True}})
        talk.send({"method": "initialized"})
        where = {"cwd": str(world.work), "approvalPolicy": policy, "sandbox": "workspace-write"}
        thread = talk.request("thread/start", where)["thread"]["id"]
        talk.request("turn/start", {"threadId": thread, "input": [{"type": "text", "text": "work"}]})  # fmt: skip
        talk.wait(lambda told: told.get("method") == "turn/completed")
        return f"asked {len(talk.asked)} times"
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()
