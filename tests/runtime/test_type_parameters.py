"""Functions and classes with type parameters, and `type` aliases: syntax of Python 3.12, hence as text."""

import importlib
import sys

import numpy as np
import pytest

from shapecheck import ShapeError

pytestmark = pytest.mark.skipif(sys.version_info < (3, 12), reason="the syntax is that of Python 3.12")

SOURCE = """
import dataclasses
from typing import NamedTuple, NotRequired, TypedDict
from jaxtyping import Float
from numpy import ndarray
from shapecheck import shapechecked

type Row = Float[ndarray, "n"]

@shapechecked(locals=True)
def same[T](x: Row, more: T) -> T:
    y: Row = more
    z: T = more
    return z

@shapechecked(locals=True)
class Both[T]:
    @staticmethod
    def first(x: Row) -> Row:
        y: Row = x[:1]
        return x

    def second(self, x: Row):
        self.__kept: Row = x
        y: "Row" = super().__repr__() and self.__kept[:1]
        return x

class Pair(NamedTuple):
    x: Row
    y: Float[ndarray, "n"]

class Generic[T](NamedTuple):
    x: Row
    y: Float[ndarray, "n"]

@dataclasses.dataclass(slots=True)
class Slots:
    x: Row
    y: "Float[ndarray, 'n']"

class Named(TypedDict):
    x: Row
    y: NotRequired[Float[ndarray, "n"]]

@shapechecked
def fields(a: Pair | Generic | Slots | Named) -> int:
    return 0
"""

TWO, THREE = np.zeros(2), np.zeros(3)


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "with_type_parameters.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("with_type_parameters")
    del sys.modules["with_type_parameters"]


def test_local_variables(module):
    assert module.same(TWO, TWO) is TWO
    for call in (
        lambda: module.same(TWO, THREE),
        lambda: module.Both.first(TWO),
        lambda: module.Both().second(TWO),
    ):
        with pytest.raises(ShapeError, match="axis 0 of y"):
            call()


@pytest.mark.parametrize("name", ["Pair", "Generic", "Slots", "Named"])
def test_fields(module, name):
    cls = getattr(module, name)
    assert module.fields(cls(x=TWO, y=TWO)) == 0
    with pytest.raises(ShapeError, match=r"axis 0 of a.*y.* \(n\) is 3, expected 2"):
        module.fields(cls(x=TWO, y=THREE))
