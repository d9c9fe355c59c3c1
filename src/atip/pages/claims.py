"""What pages claim of a tool: the base and the ceiling of each command (`calls/ceiling.py`), as badges. Pure."""

from __future__ import annotations

from atip.calls.ceiling import command_claim
from atip.model.effects import UNKNOWN, union_of_steps
from atip.model.visible_text import clean
from atip.pages.badges import badges_of
from atip.pages.effect_evidence import effects_of_command, effects_of_tool, source_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.calls.ceiling import Claim
    from atip.model.tool import Path, Tool
    from atip.pages.badges import Badge
    from atip.pages.effect_evidence import Row


class ToolClaims:
    """The claims of one tool; each command's is made once, however many pages name it."""

    def __init__(self, tool: Tool) -> None:
        self._tool = tool
        self._source = source_of(tool)
        self._held: dict[Path, tuple[Claim, list[Badge]]] = {}

    def badges(self, path: Path) -> list[Badge]:
        """What to show of one command; `()` is the tool without a command."""
        return self._claim(path)[1]

    def tool_badges(self) -> list[Badge]:
        """What a list of tools has to say of it: what any of its commands may do."""
        if not self._tool.commands:
            return self.badges(())
        effects = self._claim(())[0].ceiling
        for path, command in self._tool.walk():
            if not command.commands:
                effects = union_of_steps(effects, self._claim(path)[0].ceiling)
        return badges_of(UNKNOWN, effects)

    def effects(self, path: Path) -> list[Row]:
        """Every effect of one command with its evidence."""
        return effects_of_command(self._claim(path)[0], self._source)

    def tool_effects(self) -> list[Row]:
        """Every effect of the tool, by command where it has any."""
        if not self._tool.commands:
            return self.effects(())
        leaves = [path for path, command in self._tool.walk() if not command.commands]
        claims = [(" ".join(path), self._claim(path)[0]) for path in ((), *leaves)]
        return effects_of_tool([(clean(name), claim) for name, claim in claims], self._source)

    def _claim(self, path: Path) -> tuple[Claim, list[Badge]]:
        held = self._held.get(path)
        if held is None:
            claim = command_claim(self._tool, path)
            held = self._held[path] = (claim, badges_of(claim.base, claim.ceiling))
        return held
