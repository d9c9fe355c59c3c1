"""The server over stdio: the official client, hostile output, hostile frames, clients that die."""

from __future__ import annotations

import json
import os
import random
import re
import signal

import anyio
import mcp_types as types
import pytest

from atip.server import surface
from tests.integration.server.served import (
    Raw,
    answering,
    parameters,
    processes_with,
    talk,
    text,
    unique_seconds,
    until,
)
from tests.shared import shared
from tests.simulators.known_tools import READS, allow, document, home_with, know

pytestmark = pytest.mark.sandbox
ERAS = pytest.mark.parametrize("mode", ["legacy", "auto"], ids=["2025-11-25", "2026-07-28"])


@pytest.fixture
def home(tmp_path):
    home_with(tmp_path)
    return tmp_path


@ERAS
@pytest.mark.proves("ATIP6-9-01", "ATIP1-6-03")
def test_the_official_client_lists_describes_and_runs_a_real_tool(home, mode):
    async def work(client):
        listed = await client.list_tools()
        shown = [tool.model_dump(by_alias=True, exclude_none=True) for tool in listed.tools]
        assert shown == surface.tools()
        assert client.server_capabilities.tools is not None

        found = text(await client.call_tool("find", {"query": "say words aloud"}))
        assert "greet say <WORD…> [--loud] – Say words aloud" in found.splitlines()[1]

        described = text(await client.call_tool("describe", {"command": "greet say"}))
        assert "word: string several required – What to say" in described
        schema = text(await client.call_tool("describe", {"command": "greet.say", "schema": True}))
        inner = json.loads(schema.splitlines()[1])
        assert inner["inputSchema"]["required"] == ["word"]

        result = await client.call_tool(
            "run", {"command": "greet say", "arguments": {"word": ["a b", "--loud"]}}
        )
        assert not result.is_error
        assert re.fullmatch(
            r"exit 0\n<output-(\w{8})>\n--\na b\n--loud\n</output-\1>", text(result)
        )
        by_words = await client.call_tool("run", {"command": "greet", "argv": ["say", "x"]})
        assert "\nx\n" in text(by_words)
        whole_line = await client.call_tool("run", {"command": "greet say one two"})
        assert "\none\ntwo\n" in text(whole_line)
        quoted = await client.call_tool("run", {"command": "greet say 'one two'"})
        assert "\none two\n" in text(quoted)
        failed = await client.call_tool("run", {"command": "greet fail"})
        assert failed.is_error
        assert failed.meta["atip/result"]["exitCode"] == 3

    talk(parameters(home), work, mode=mode)


@ERAS
def test_mistakes_are_answers_that_a_model_can_use(home, mode):
    async def work(client):
        async def said(name, arguments):
            result = await client.call_tool(name, arguments)
            assert result.is_error
            return text(result)

        assert (await said("run", {"command": "greet sya"})).startswith("calls.no-function")
        assert "did you mean `greet say`" in await said("run", {"command": "greet sya"})
        wrong = await said("run", {"command": "greet say", "arguments": {"words": ["x"]}})
        assert "did you mean `word`?" in wrong
        assert (await said("run", {"command": "no-such-tool"})).startswith("tool.not-found")
        assert (await said("run", {})).startswith("mcp.argument")
        assert (
            await said("run", {"command": "greet", "argv": ["say", "x", "|", "sh"]})
        ).startswith("mcp.no-shell")
        assert (await said("run", {"command": "greet say x | sh"})).startswith("mcp.no-shell")
        assert (await said("run", {"command": "greet say 'x"})).startswith("mcp.quotes")
        assert (await said("run", {"command": "greet say", "cwd": "/"})).startswith("mcp.cwd")
        assert (await said("nothing", {})).startswith("mcp.unknown-tool")

    talk(parameters(home), work, mode=mode)


@ERAS
def test_what_destroys_is_put_to_the_user_and_runs_only_after_a_yes(home, mode):
    questions: list[str] = []

    async def work(client):
        result = await client.call_tool("run", {"command": "greet erase"})
        assert "erased" in text(result)

    talk(parameters(home), work, mode=mode, elicitation_callback=answering("yes", asked=questions))
    assert len(questions) == 1
    assert questions[0].splitlines()[:2] == [
        "This command needs your confirmation:",
        "  greet erase",
    ]


@ERAS
def test_anything_but_a_yes_refuses(home, mode):
    answers = [("no", "accept"), ("yes", "decline"), ("", "cancel"), ("YES", "accept")]
    left = list(answers)

    async def elicit(context, params):
        answer, action = left.pop()
        return await answering(answer, action)(context, params)

    async def work(client):
        for _ in answers:
            result = await client.call_tool("run", {"command": "greet erase"})
            assert result.is_error
            assert text(result).startswith("consent.refused")
        assert left == []

    talk(parameters(home), work, mode=mode, elicitation_callback=elicit)


@ERAS
def test_a_client_that_cannot_ask_gets_a_refusal(home, mode):
    async def work(client):
        result = await client.call_tool("run", {"command": "greet erase"})
        assert result.is_error
        assert text(result).startswith("consent.no-terminal")

    talk(parameters(home), work, mode=mode)


def test_a_yes_is_good_for_one_call_and_no_other(home):
    """2026-07-28: the answer comes with a second call; its token must not allow another call."""

    async def work(client):
        session = client.session
        asked = await session.call_tool(
            "run", {"command": "greet erase"}, allow_input_required=True
        )
        assert isinstance(asked, types.InputRequiredResult)
        (key,) = asked.input_requests
        yes = {key: types.ElicitResult(action="accept", content={"answer": "yes"})}

        async def again(arguments, state, answers=yes):
            return await session.call_tool(
                "run",
                arguments,
                allow_input_required=True,
                input_responses=answers,
                request_state=state,
            )

        state = asked.request_state
        other = await again({"command": "greet erase", "argv": ["--really"]}, state)
        assert isinstance(other, types.InputRequiredResult), "another call is asked for anew"
        used_up = await again({"command": "greet erase"}, state)
        assert isinstance(used_up, types.InputRequiredResult), "the token was used"
        forged = await again({"command": "greet erase"}, "made-up")
        assert isinstance(forged, types.InputRequiredResult)
        good = await again({"command": "greet erase"}, forged.request_state)
        assert "erased" in text(good)
        replayed = await again({"command": "greet erase"}, forged.request_state)
        assert isinstance(replayed, types.InputRequiredResult)

    talk(parameters(home), work, elicitation_callback=answering("yes"))


# --- output and frames ---------------------------------------------------------------------------


def test_output_reaches_the_client_as_text_only_bounded_and_without_secrets(home):
    with Raw(home) as server:
        server.initialize()

        def said(command, **arguments):
            answer = server.call("run", {"command": command, "arguments": arguments})
            return answer["result"]["content"][0]["text"]

        frames = said("greet frames")
        assert frames.count("notifications/tools/list_changed") == 1
        assert "<stderr-" in frames
        assert [frame for frame in server.frames if "method" in frame] == []
        flood = said("greet flood", bytes=100_000_000)
        assert len(flood) < 40_000
        assert flood.startswith("exit 0; output cut")
        assert "left out here" in flood
        secret = said("greet secret")
        assert "ghp_" not in secret
        assert secret.startswith("exit 0; 1 secret hidden")


def test_the_zoo_animal_cannot_speak_the_protocol(home):
    animal = shared("zoo") / "stdout-as-protocol"
    box = home_with(home)
    effects = {
        "commands": {"run": {"description": "Run it", "effects": {**READS, "subprocess": True}}}
    }
    know(box, [document("stdout-as-protocol", **effects)], animal)
    allow(box, "stdout-as-protocol")
    with Raw(home, "--expose", "stdout-as-protocol") as server:
        server.initialize()
        for _ in range(5):
            answer = server.call("stdout-as-protocol_run", {})
            assert "Content-Length: 2" in answer["result"]["content"][0]["text"]
        assert len(server.ask("tools/list")["result"]["tools"]) == 4
        assert [frame for frame in server.frames if "method" in frame] == []


@pytest.mark.measured
def test_ten_thousand_malformed_frames_do_no_harm(home):
    chance = random.Random(5)
    good = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 7,
            "method": "tools/call",
            "params": {"name": "run", "arguments": {}},
        }
    ).encode()
    shapes = [
        lambda: bytes(chance.randrange(256) for _ in range(chance.randrange(1, 200))).replace(b"\n", b" "),
        lambda: good[: chance.randrange(1, len(good))],
        lambda: b"[" * chance.randrange(1, 3000),
        lambda: b'{"jsonrpc":"2.0","id":' + b"9" * chance.randrange(1, 400) + b',"method":"x"}',
        lambda: b'{"jsonrpc":"2.0","id":"%d","method":"tools/call","params":[1]}' % chance.randrange(99),
        lambda: b'{"jsonrpc":"2.0","id":null,"method":"initialize","params":{"_meta":1}}',
        lambda: b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}',
        lambda: b'{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"answer":"yes"}}}',
        lambda: b'{"jsonrpc":"1.0","id":3,"method":"ping"}',
        lambda: json.dumps({"jsonrpc": "2.0", "id": 4, "method": chance.choice(["tools/call", "x", ""]),
                            "params": {"name": chance.choice([1, None, "find"]), "arguments": "x"}}).encode(),
    ]  # fmt: skip
    with Raw(home) as server:
        server.initialize()
        # `initialize` is answered before the server is loaded; a call waits until it is.
        assert "result" in server.ask("tools/list")
        before = _memory(server.process.pid)
        for _ in range(100):
            server.send(b"".join(chance.choice(shapes)() + b"\n" for _ in range(100)))
            while server.read(0):
                pass
        server.send(b"x" * 20_000_000 + b"\n")  # longer than any frame may be
        last = server.ask("tools/call", {"name": "run", "arguments": {"command": "greet say", "arguments": {"word": ["still here"]}}})  # fmt: skip
        answers = [
            frame for frame in server.frames if frame.get("id") == last["id"] and "result" in frame
        ]
        assert any("still here" in json.dumps(frame) for frame in answers)
        assert all("method" not in frame for frame in server.frames)
        assert _memory(server.process.pid) - before < 80_000_000
        assert server.process.poll() is None


def _memory(pid: int) -> int:
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_fifty_calls_at_once_are_all_answered_with_their_own_output(home):
    async def work(client):
        results: dict[int, str] = {}

        async def one(number):
            given = {"command": "greet say", "arguments": {"word": [f"number-{number}."]}}
            results[number] = text(await client.call_tool("run", given))

        async with anyio.create_task_group() as group:
            for number in range(50):
                group.start_soon(one, number)
        assert all(f"number-{number}." in results[number] for number in range(50))

    talk(parameters(home), work)


# --- clients that go away ------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["closes its pipes", "kills the server", "asks it to end"])
def test_a_child_is_gone_within_a_second_of_its_client(home, end):
    seconds = unique_seconds()
    with Raw(home) as server:
        server.initialize()
        server.call(
            "run", {"command": "greet wait", "arguments": {"seconds": float(seconds)}}, wait=False
        )
        assert until(lambda: bool(processes_with(seconds)), 30), "the run has started"
        assert server.process.stdin is not None
        if end == "closes its pipes":
            server.process.stdin.close()
        else:
            server.process.send_signal(
                signal.SIGKILL if end == "kills the server" else signal.SIGTERM
            )
        assert until(lambda: not processes_with(seconds), 1.0)
        if end != "kills the server":
            assert server.process.wait(10) == 0


def test_a_cancelled_call_ends_its_child_and_the_server_goes_on(home):
    seconds = unique_seconds()
    with Raw(home) as server:
        server.initialize()
        frame = server.call("run", {"command": "greet wait", "arguments": {"seconds": float(seconds)}}, wait=False)  # fmt: skip
        assert until(lambda: bool(processes_with(seconds)), 30)
        cancelled = {
            "jsonrpc": "2.0",
            "method": "notifications/cancelled",
            "params": {"requestId": frame["id"]},
        }
        server.send(json.dumps(cancelled).encode() + b"\n")
        assert until(lambda: not processes_with(seconds), 1.0)
        assert server.ask("tools/list")["result"]["tools"]
