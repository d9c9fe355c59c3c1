"""Many runs at once, and runs that end with the task that wanted them."""

from __future__ import annotations

import asyncio
import os
import pathlib
import time

import pytest

from atip.async_toolbox import AsyncToolbox
from atip.execution.audit.chain import Audit
from tests.integration.execution.desk import Desk

pytestmark = pytest.mark.sandbox


@pytest.fixture
def desk(tmp_path: pathlib.Path) -> Desk:
    return Desk(tmp_path)


def alive(mark: str) -> list[int]:
    """Processes of this machine whose command line holds a mark."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            try:
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    if mark.encode() in file.read():
                        found.append(int(name))
            except OSError:
                continue
    return found


def test_twenty_runs_at_once_keep_their_own_output_and_records(desk: Desk) -> None:
    box = AsyncToolbox(home=str(desk.home))
    for number in range(20):
        (desk.work / f"{number}.txt").write_text(f"{number}\n")

    async def many() -> list[str]:
        results = await asyncio.gather(
            *(box.run(["cat", f"{number}.txt"], cwd=str(desk.work)) for number in range(20))
        )
        return [result.stdout for result in results]

    assert asyncio.run(many()) == [f"{number}\n" for number in range(20)]
    checked = Audit(str(desk.home / ".local/share/agent-tools/audit")).verify()
    assert (checked.records, checked.broken, checked.unfinished) == (40, None, ())


def test_more_than_the_loops_few_threads_run_together(desk: Desk) -> None:
    """Ten programs wait for each other: they only end if all of them run at the same time."""
    box = AsyncToolbox(home=str(desk.home))
    script = 'touch "$1"; while [ $(ls | grep -c ^here) -lt 10 ]; do sleep 0.1; done'

    async def meet() -> set[int]:
        runs = (
            box.run(
                ["sh", "-c", script, "sh", f"here{number}"],
                cwd=str(desk.work), ask=desk.yes, timeout_s=60,
            )
            for number in range(10)
        )  # fmt: skip
        return {result.exit_code for result in await asyncio.gather(*runs)}

    assert asyncio.run(meet()) == {0}


def test_a_cancelled_task_ends_its_program(desk: Desk) -> None:
    box = AsyncToolbox(home=str(desk.home))
    mark = f"31{os.getpid()}"

    async def cancel() -> float:
        task = asyncio.create_task(box.run(["sleep", mark], cwd=str(desk.work)))
        while not alive(mark):
            await asyncio.sleep(0.05)
        began = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        while alive(mark):
            await asyncio.sleep(0.01)
        return time.monotonic() - began

    assert asyncio.run(asyncio.wait_for(cancel(), 60)) < 5


def test_observing_and_previewing_have_their_asynchronous_twins(desk: Desk) -> None:
    box = AsyncToolbox(home=str(desk.home))
    (desk.work / "a.txt").write_text("a\n")

    async def both() -> tuple[bool, int]:
        seen = await box.observe(["cat", "a.txt"], cwd=str(desk.work))
        preview = await box.preview(["touch", "b.txt"], cwd=str(desk.work), ask=desk.yes)
        with preview:
            return seen.honest, len(preview.changes)

    assert asyncio.run(both()) == (True, 1)
    assert not (desk.work / "b.txt").exists()
