"""A login that a command needs is looked for first, confined; a missing one is exit code 4 with the way to get it."""

from __future__ import annotations

import pathlib

import pytest

from atip.errors import AuthRequired
from atip.execution.audit.chain import Audit
from atip.execution.login import LoginState, login_of
from atip.execution.runner import Judgment, ProgramCall, Runner
from atip.model.effects import UNKNOWN, Effects
from atip.model.permissions.confinement import Confinement
from atip.model.tool import Authentication, AuthenticationMethod, Command, Tool
from atip.policy.decision import Decision

pytestmark = pytest.mark.sandbox

TOOL = Tool(
    name="hub",
    authentication=Authentication(
        required=True,
        check_command="hub auth status",
        methods=(
            AuthenticationMethod(type="login", setup_command="hub auth login"),
            AuthenticationMethod(type="token", env_var="HUB_TOKEN"),
        ),
    ),
)


@pytest.mark.proves("ATIP6-3.8-03")
def test_a_command_without_its_login_does_not_start(tmp_path: pathlib.Path) -> None:
    tool = tmp_path / "hub"
    tool.write_text(
        '#!/bin/sh\n[ "$2" = status ] && { [ -n "$HUB_TOKEN" ] || exit 1; touch checked; exit 0; }\necho ran\n'
    )
    tool.chmod(0o755)
    confinement = Confinement(
        fs_write=(f"{tmp_path}/**",), env_pass=("HUB_TOKEN",), exec_allow=True, exec_spawn=("*",)
    )
    judgment = Judgment(
        decision=Decision(outcome="allow"),
        effects=Effects(destructive=False),
        confinement=confinement,
        login=login_of(TOOL, ("pr",), ("hub", "pr"), UNKNOWN),
    )
    box = Runner(lambda call, digest: judgment, audit=Audit(str(tmp_path / "audit")))
    call = ProgramCall(argv=("hub", "pr"), program=str(tool), cwd=str(tmp_path))
    with pytest.raises(AuthRequired) as refusal:
        box.run(call)
    assert (refusal.value.code, refusal.value.exit_code) == ("auth.required", 4)
    assert "hub auth login" in refusal.value.hint
    assert "HUB_TOKEN" in refusal.value.hint
    result = box.run(call.replace(env={"HUB_TOKEN": "x" * 20}))
    assert result.stdout == "ran\n"
    # the check itself has nothing to write to
    assert not (tmp_path / "checked").exists()


def test_the_check_is_for_commands_that_need_it() -> None:
    assert login_of(TOOL, (), ("hub", "x"), UNKNOWN) == LoginState(
        check=("hub", "auth", "status"), how="hub auth login", variables=("HUB_TOKEN",)
    )
    assert login_of(TOOL, (), ("hub", "x"), Effects(network=False)) is None
    assert login_of(TOOL, (), ("hub", "auth", "status"), UNKNOWN) is None
    assert login_of(TOOL, (), ("hub", "auth", "login", "--web"), UNKNOWN) is None
    assert login_of(None, (), ("hub",), UNKNOWN) is None
    open_command = Command(authentication=Authentication(required=False))
    assert (
        login_of(TOOL.replace(commands={"x": open_command}), ("x",), ("hub", "x"), UNKNOWN) is None
    )


@pytest.mark.parametrize("check", ["rm -rf /", "other status", "hub 'unclosed", ""])
def test_a_description_cannot_make_another_program_run(check: str) -> None:
    wanted = TOOL.authentication.replace(check_command=check)  # type: ignore[union-attr]
    assert login_of(TOOL.replace(authentication=wanted), (), ("hub", "x"), UNKNOWN) is None
