"""Records are the same before and after their constructor was compiled."""

from __future__ import annotations

import pickle

import pytest

from atip.model import value
from atip.model.value import Value


class Harbor(Value):
    name: str
    depth: int = 3
    ships: tuple[str, ...] = ()


class Empty(Value):
    pass


class Counted(Value):
    name: str

    def __init__(self, **given):
        super().__init__(**given)


def make_often(cls, **fields):
    return [cls(**fields) for _ in range(value._OFTEN + 1)]


def test_records_are_equal_before_and_after_compilation():
    class Port(Value):
        name: str
        depth: int = 3

    first = Port(name="a")
    last = make_often(Port, name="a")[-1]
    assert Port.__init__ is not Value.__init__
    assert (first, hash(first), repr(first)) == (last, hash(last), repr(last))
    assert last.replace(depth=4) == first.replace(depth=4) != first


def test_a_compiled_record_is_frozen_and_checks_its_fields():
    harbor = make_often(Harbor, name="b", ships=("x",))[-1]
    with pytest.raises(AttributeError):
        harbor.name = "c"
    with pytest.raises(TypeError, match="name"):
        Harbor()
    with pytest.raises(TypeError, match="tide"):
        Harbor(name="b", tide=1)
    with pytest.raises(TypeError, match="tide"):
        harbor.replace(tide=1)
    assert pickle.loads(pickle.dumps(harbor)) == harbor


def test_a_subclass_of_a_compiled_class_keeps_its_own_fields():
    make_often(Harbor, name="b")

    class Marina(Harbor):
        berths: int = 0

    marina = make_often(Marina, name="m", berths=2)[-1]
    assert (marina.name, marina.depth, marina.berths) == ("m", 3, 2)
    assert marina.replace(name="n").berths == 2


def test_a_class_without_fields_or_with_a_constructor_of_its_own_stays_as_it_is():
    assert make_often(Empty)[-1] == Empty()
    constructor = Counted.__init__
    make_often(Counted, name="x")
    assert Counted.__init__ is constructor
