"""Annotations that Python 3.14 evaluates when somebody asks (PEP 649), also names that are there only later, or never.

Arrays are numpy's: torch need not be there for this Python.
"""

import inspect
import sys
import textwrap
import warnings

import numpy as np
import pytest

from shapecheck import AnnotationUseError, ShapecheckWarning, ShapeError

pytestmark = pytest.mark.skipif(sys.version_info < (3, 14), reason="deferred annotations are those of Python 3.14")

Z = np.zeros
HEAD = """
from typing import TYPE_CHECKING, NamedTuple, TypedDict
from numpy import ndarray
from jaxtyping import Float
from shapecheck import shapechecked
"""


@pytest.fixture
def run(tmp_path):
    """Run a module's source, and give its names."""

    def run(source):
        path = tmp_path / f"module_{len(list(tmp_path.iterdir()))}.py"
        path.write_text(HEAD + textwrap.dedent(source))
        namespace = {"__name__": path.stem}
        exec(compile(path.read_text(), str(path), "exec"), namespace)  # noqa: S102
        return type("Module", (), {name: staticmethod(value) for name, value in namespace.items()})

    return run


def test_names_that_are_defined_later(run):
    module = run(
        """
        @shapechecked
        def f(x: Square, *more: list[Square]) -> Square: return x
        Square = Float[ndarray, "n n"]

        def make():
            Column = Float[ndarray, "n 1"]
            @shapechecked
            def g(x: Row, y: "Row | Column", z: Float[ndarray, "n"] | None = None) -> Row: return x
            Row = Float[ndarray, "n"]
            return g

        def make_in_quotes():
            Row = Float[ndarray, "n"]
            @shapechecked
            def g(x: "Row", n: int): return x
            return g
        """
    )
    for call, right, wrong in (
        (module.f, (Z((2, 2)),), (Z((2, 3)),)),
        (module.f, (Z((2, 2)), [Z((2, 2))]), (Z((2, 2)), [Z((3, 2))])),
        (module.make(), (Z(2), Z((2, 1))), (Z(2), Z((2, 2)))),
        (module.make_in_quotes(), (Z(2), 1), (Z((2, 2)), 1)),
    ):
        call(*right)
        with pytest.raises(ShapeError):
            call(*wrong)


def test_a_name_that_is_never_defined_is_warned_about(run):
    module = run(
        """
        if TYPE_CHECKING:
            from elsewhere import Array
        @shapechecked
        def f(x: Float[Array, "n"], y: Float[ndarray, "n"], z: Float[ndarray, "n"] | Array = None) -> list[Array]:
            return x
        """
    )
    with pytest.warns(ShapecheckWarning) as caught:
        assert module.f(3, Z(2)) == 3
    (told,) = (str(warning.message) for warning in caught)  # once is enough for one name
    assert told == (
        "f: the annotation of `x`, `Float[Array, 'n']`, cannot be evaluated "
        "(NameError: name 'Array' is not defined); it is not checked"
    )
    with pytest.raises(ShapeError, match="y has 2 axes"):
        module.f(3, Z((2, 2)))


def test_part_of_an_annotation_may_be_what_type_checkers_alone_import(run):
    module = run(
        """
        if TYPE_CHECKING:
            from jaxtyping import Float32
            import numpy as np
        @shapechecked
        def f(x: Float[ndarray, "n"] | Float32[np.ndarray, "n n"]): return x
        """
    )
    module.f(Z(2))
    with pytest.raises(ShapeError):
        module.f(Z((2, 2)))  # not of 32 bits


def test_an_annotation_that_jaxtyping_refuses_is_an_error(run):
    module = run(
        """
        @shapechecked
        def f(x: Float[ndarray, "*a *b"]): return x
        """
    )
    with pytest.raises(AnnotationUseError, match=r"annotation of `x`, `Float\[ndarray, '\*a \*b'\]`"):
        module.f(Z(2))


def test_annotations_stay_deferred(run):
    module = run(
        """
        @shapechecked
        def f(x: Later): return x
        """
    )
    with pytest.raises(NameError):
        _ = module.f.__annotations__
    with pytest.warns(ShapecheckWarning, match="Later"):
        module.f(3)
    module.f.__globals__["Later"] = module.f.__wrapped__.__globals__["Later"] = int
    assert module.f.__annotations__ == {"x": int}
    assert str(inspect.signature(module.f)) == "(x: int)"


def test_classes_and_their_fields(run):
    module = run(
        """
        import dataclasses

        @shapechecked(dims={"D": "d"})
        class Model:
            def __init__(self, d: int): self.d = d
            def forward(self, x: Float[ndarray, "B D"], batch: Batch) -> Rows: return batch.x
            @classmethod
            def like(cls, x: Rows) -> Model: return cls(x.shape[1])
            def nothing(self): return None

        @shapechecked
        @dataclasses.dataclass
        class Batch:
            x: Rows
            y: Float[ndarray, "B"] | None = None

        class Pair(NamedTuple):
            x: Float[ndarray, "n"]
            y: Float[ndarray, "n"]

        class Named(TypedDict, total=False):
            x: Float[ndarray, "m"]

        @shapechecked
        def f(pair: Pair, named: Named): return pair
        Rows = Float[ndarray, "B _"]

        def unused():
            @shapechecked(dims={"Q": "d"})
            class Model:
                def forward(self, x: Float[ndarray, "B"]): return x
        """
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        batch = module.Batch(Z((2, 3)), Z(2))
        model = module.Model.like(Z((2, 3)))
        assert model.forward(Z((2, 3)), batch) is batch.x
        module.f(module.Pair(Z(2), Z(2)), {})
    assert not hasattr(module.Model.nothing, "__shapecheck__")
    for call in (
        lambda: module.Batch(Z((2, 3)), Z(3)),
        lambda: model.forward(Z((2, 4)), batch),
        lambda: model.forward(Z((3, 3)), batch),
        lambda: module.f(module.Pair(Z(2), Z(3)), {}),
        lambda: module.f(module.Pair(Z(2), Z(2)), {"x": Z((2, 2))}),
    ):
        with pytest.raises(ShapeError):
            call()
    with pytest.raises(AnnotationUseError, match="dims of Model tie Q"):
        module.unused()
