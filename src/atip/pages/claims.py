"""Claims about a tool on its pages: base and ceiling of each command (`calls/effects/ceiling.py`), as badges. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.calls.effects.ceiling import command_claim
from atip.model.text.visible_text import clean
from atip.pages.badges import badges_of_any, badges_of_dangers, dangers_of
from atip.pages.effect_evidence import effects_of_command, effects_of_tool, source_of

if TYPE_CHECKING:
    from atip.calls.effects.ceiling import Claim
    from atip.model.tool import Path, Tool
    from atip.pages.badges import Badge
    from atip.pages.effect_evidence import Row


class ToolClaims:
    """The claims of one tool; each command's is made once, however many pages name it."""

    def __init__(self, tool: Tool) -> None:
        self._tool = tool
        self._source = source_of(tool)
        self._held: dict[Path, _CommandClaim] = {}
        self.commands = list(tool.walk())
        """Every command with its path, parents first."""
        self._leaves = [path for path, command in self.commands if not command.commands]

    def prepare(self) -> None:
        """Make the claim of every command now, for those who need all of them."""
        for path, _ in self.commands:
            self._claim(path)

    def badges(self, path: Path) -> list[Badge]:
        """Badges of one command; `()` is the tool without a command."""
        return self._claim(path).badges

    def tool_badges(self) -> list[Badge]:
        """Badges of the tool in a list: the effects that any of its commands may have."""
        if not self._tool.commands:
            return self.badges(())
        return badges_of_any([(one.ceiling, one.is_read_only) for _, one in self._all()])

    def effects(self, path: Path) -> list[Row]:
        """Every effect of one command with its evidence."""
        one = self._claim(path)
        return effects_of_command(one.base, one.ceiling, one.raisers, self._source)

    def tool_effects(self) -> list[Row]:
        """Every effect of the tool, by command where it has any."""
        if not self._tool.commands:
            return self.effects(())
        dangers = [(clean(" ".join(path)), one.ceiling) for path, one in self._all()]
        return effects_of_tool(dangers, self._source)

    def _all(self) -> list[tuple[Path, _CommandClaim]]:
        """The tool without a command, and every command that has none below it."""
        return [(path, self._claim(path)) for path in ((), *self._leaves)]

    def _claim(self, path: Path) -> _CommandClaim:
        held = self._held.get(path)
        if held is None:
            held = self._held[path] = _CommandClaim(command_claim(self._tool, path))
        return held


class _CommandClaim:
    """Claim in the form that pages need: dangers in the order of their table."""

    __slots__ = ("badges", "base", "ceiling", "is_read_only", "raisers")

    def __init__(self, claim: Claim) -> None:
        self.base = self.ceiling = dangers_of(claim.base)
        if claim.ceiling is not claim.base:
            self.ceiling = dangers_of(claim.ceiling)
        self.raisers = claim.raisers
        self.is_read_only = claim.ceiling.is_read_only
        is_final = claim.base.reversible is False
        self.badges = badges_of_dangers(self.base, self.ceiling, self.is_read_only, is_final)
