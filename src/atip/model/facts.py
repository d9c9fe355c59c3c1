"""Facts by name: `destructive`, `filesystem.write`, `billable` … as people and policies write them. Pure."""

from __future__ import annotations

from atip.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.model.effects import Effects

FACTS = {
    # name: path through the effects
    "network": ("network",),
    "subprocess": ("subprocess",),
    "idempotent": ("idempotent",),
    "reversible": ("reversible",),
    "destructive": ("destructive",),
    "filesystem.read": ("filesystem", "read"),
    "filesystem.write": ("filesystem", "write"),
    "filesystem.delete": ("filesystem", "delete"),
    "cost.billable": ("cost", "billable"),
    "interactive.prompts": ("interactive", "prompts"),
    "interactive.tty": ("interactive", "tty"),
}
SHORT = {
    "read": "filesystem.read",
    "write": "filesystem.write",
    "delete": "filesystem.delete",
    "billable": "cost.billable",
    "prompts": "interactive.prompts",
    "tty": "interactive.tty",
}


def fact_name(text: str) -> str:
    """The full name of a fact: `effects.network`, `write` → `network`, `filesystem.write`.

    Raises:
        UsageError: `effects.unknown-fact`.
    """
    name = text.removeprefix("effects.")
    name = SHORT.get(name, name)
    if name not in FACTS:
        from atip.model.shapes.shape import closest

        close = closest(name, [*FACTS, *SHORT])
        hint = f"did you mean `{close}`?" if close else "facts: " + ", ".join([*FACTS, *SHORT])
        raise UsageError("effects.unknown-fact", f"unknown fact `{text[:60]}`", hint=hint)
    return name


def fact_of(effects: Effects, name: str) -> bool | None:
    """The value of a fact by its full name."""
    value: object = effects
    for part in FACTS[name]:
        value = getattr(value, part)
    return value if isinstance(value, bool) else None
