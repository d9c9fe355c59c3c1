"""A question that a sandbox settles becomes `confine`; what it does not settle stays one."""

from __future__ import annotations

import pytest

import atip

CONFINED = (
    "make", "npm test", "pytest -q", "./build.sh", "cargo build", "python script.py", "node x.js", "touch new.txt",
    "some-unknown-tool --flag", "npm run build && npm test", "npm ci", "pip install -r requirements.txt", "python -c 'print(1)' > out.txt",
)  # fmt: skip
ASKED = (
    "git push", "git push --force origin main", "rm -rf src", "rm file.txt", "sudo apt-get install x", "git reset --hard",
    "gh pr create", "gh release delete v1", "npm publish", "twine upload dist/*", "docker push x", "kubectl delete pod x",
    "aws s3 rm s3://b/x", "curl -X POST -d @f https://h/", "curl -T f https://h/", "scp f host:", "ssh host rm x",
    "terraform apply", "sendmail a@b < f", "mail -s x a@b", "gcloud compute instances delete x", "dropdb x",
    "make && git push", "npm test; rm -rf src", "shred f", "mkfs.ext4 /dev/sda",
)  # fmt: skip


@pytest.fixture(scope="module")
def box(tmp_path_factory):
    return atip.Toolbox(home=str(tmp_path_factory.mktemp("home")), policy="cautious")


@pytest.mark.parametrize("line", CONFINED)
def test_what_a_sandbox_rules_out_needs_no_question(box, line):
    found = box.explain(line, cwd="/home/me/project")
    assert found.decision.outcome == "ask" and found.in_sandbox.outcome == "confine", found.decision


@pytest.mark.parametrize("line", ASKED)
def test_what_it_does_not_is_never_confined(box, line):
    found = box.explain(line, cwd="/home/me/project")
    assert found.in_sandbox.outcome in ("ask", "deny"), found.decision


@pytest.mark.parametrize("line", ["echo 'open", "if", "x=$("])
def test_a_line_that_cannot_be_read_is_never_confined(box, line):
    assert box.explain(line, cwd="/w").in_sandbox.outcome == "ask"


@pytest.mark.parametrize("line", ["ls", "git status", "# nothing"])
def test_what_is_allowed_stays_allowed(box, line):
    assert box.explain(line, cwd="/home/me/project").in_sandbox.outcome == "allow"


@pytest.mark.parametrize("network", [True, None])
def test_a_change_on_another_machine_is_never_confined(network):
    """Whatever the program is called: its effects say where the change lies."""
    from atip.model.effects import Effects, Filesystem
    from atip.policy.command_context import CommandContext
    from atip.policy.decision import ASK, Decision
    from atip.policy.settle import settled

    files = Filesystem(read=False, write=False, delete=False)
    effects = Effects(
        network=network, filesystem=files, creates=(), modifies=("release",), deletes=(), destructive=False, subprocess=False,
    )  # fmt: skip
    subject = CommandContext(
        tool="some-cloud", argv=("some-cloud",), text="some-cloud", effects=effects
    )
    asked = Decision(outcome=ASK, rule="preset cautious")
    assert settled(asked, (subject,), (asked,)).outcome == "ask"
