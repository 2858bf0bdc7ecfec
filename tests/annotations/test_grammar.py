"""Shape strings against jaxtyping itself: what it accepts, and what it makes of each token."""

import random
import time

import jaxtyping._array_types as reference
import pytest
from jaxtyping import Float
from torch import Tensor

from shapecheck.annotations import DTYPES, AnnotationError, ShapeSpec, parse_shape
from shapecheck.annotations.expression import Binary, Name, Number, evaluate, fold, names_in, paths_in

PIECES = [*"#*_?=abT4-+1{}(),. !", "...", "self.d", "  ", "//", "%", "**", "min", "é", "\xa0"]


def of_jaxtyping(text):
    try:
        return Float[Tensor, text]
    except ValueError:
        return None


def agrees(axis, dim):
    if dim is reference._anonymous_dim:
        return axis.kind == "anonymous" and not axis.variadic
    if dim is reference._anonymous_variadic_dim:
        return axis.kind == "anonymous" and axis.variadic
    if axis.broadcast != dim.broadcastable:
        return False
    if isinstance(dim, reference._FixedDim):
        return (axis.kind, axis.size) == ("fixed", dim.size)
    if isinstance(dim, reference._SymbolicDim):
        return axis.kind == "expression" and axis.text.endswith(dim.elem)
    variadic = isinstance(dim, reference._NamedVariadicDim)
    return (axis.kind, axis.name, axis.tree, axis.variadic) == ("name", dim.name, dim.treepath, variadic)


def test_generated_shape_strings_mean_what_jaxtyping_makes_of_them():
    draw = random.Random(7)  # noqa: S311
    accepted = 0
    for _ in range(20_000):
        text = "".join(draw.choice(PIECES) for _ in range(draw.randint(0, 7)))
        ours, theirs = parse_shape(text), of_jaxtyping(text)
        if isinstance(ours, AnnotationError):
            # jaxtyping finds out about an expression that is not Python at the first call only.
            symbolic = theirs is not None and any(isinstance(dim, reference._SymbolicDim) for dim in theirs.dims)
            assert theirs is None or symbolic, (text, ours)
            continue
        accepted += 1
        assert theirs is not None, text
        assert len(ours.axes) == len(theirs.dims), text
        assert all(map(agrees, ours.axes, theirs.dims)), text
        assert ours.variadic == (-1 if theirs.index_variadic is None else theirs.index_variadic), text
        assert all(ours.text[axis.start : axis.end] == axis.text for axis in ours.axes), text
    assert accepted > 5000


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("b,c", ",c"),
        ("b c#", "#"),
        ("b ##n", "#"),
        ("b *x *y", "*y"),
        ("b *4", "*4"),
        ("b t+", "t+"),
        ("b {", "{"),
        ("b {self.d", "{self.d"),
        ("b {1+}", "{1+}"),
        ("b 2D", "2D"),
        ("b t...", "t..."),
        ("b 99999999999999999999", "99999999999999999999"),
        ("b #_", "#_"),
        ("b\0", "\0"),
    ],
)
def test_errors_point_at_the_faulty_part(text, part):
    error = parse_shape(text)
    assert isinstance(error, AnnotationError)
    assert text[error.start : error.end] == part


@pytest.mark.parametrize(
    "text",
    [
        "(" * 1500 + "a" + ")" * 1500,
        "(" * 300 + "a" + ")" * 300,
        "-" * 3000 + "a",
        "9" * 3900,
        "9" * 5000,
        "a+" * 1900 + "a",
        "2**" * 900 + "2",
        "\ud800",
        "{" * 100,
        "}" * 100,
    ],
)
def test_absurd_input_is_refused_quickly(text):
    started = time.process_time()
    assert isinstance(parse_shape(text), AnnotationError)
    assert time.process_time() - started < 0.5


def test_precedence_is_that_of_python():
    draw = random.Random(3)  # noqa: S311
    sizes = {"a": 7, "b": 3, "n": 2}
    checked = 0
    while checked < 2000:
        parts = [
            draw.choice(["a", "b", "n", "2", "5", "(", ")", "-", "min(a,", "max(b,"]) for _ in range(draw.randint(1, 4))
        ]
        text = draw.choice(["+", "-", "*", "//", "%", "**"]).join(parts)
        shape = parse_shape(text)
        if not isinstance(shape, ShapeSpec) or len(shape.axes) != 1 or shape.axes[0].kind != "expression":
            continue
        value = evaluate(shape.axes[0].expression, sizes, {})
        if value is not None:
            checked += 1
            assert value == eval(text, dict(sizes)), text  # noqa: S307


def test_factors_keep_their_order():
    (axis,) = parse_shape("g*r").axes
    assert axis.expression == Binary("*", Name("g", 0, 1), Name("r", 2, 3), 0, 3)
    (axis,) = parse_shape("2*D").axes
    assert axis.expression == Binary("*", Number(2, 0, 1), Name("D", 2, 3), 0, 3)


def test_names_and_paths():
    shape = parse_shape("*batch n {self.d_model}*n (h*w)-n rows=4 {x.shape[0]} len(q)")
    assert shape.bound == ("batch", "n")
    assert shape.used == ("n", "h", "w", "q")
    assert shape.variadic == 0
    assert [path.parts for path in paths_in(shape.axes[2].expression)] == [("self", "d_model")]
    assert [path.text for path in paths_in(shape.axes[5].expression)] == ["x.shape[0]"]
    assert (shape.axes[4].size, shape.axes[4].label) == (4, "rows")
    assert names_in(shape.axes[6].expression) == ("q",)


def test_fold_builds_any_algebra():
    (axis,) = parse_shape("min(a,b,2)-{self.d}").axes
    text = fold(
        axis.expression,
        number=str,
        name=str,
        path=lambda path: path.text,
        op=lambda op, left, right: f"[{left} {op} {right}]",
        opaque=lambda part: part.text,
    )
    assert text == "[[[a min b] min 2] - self.d]"


def test_absurd_powers_have_no_value():
    (axis,) = parse_shape("9**9**9**9").axes
    assert evaluate(axis.expression, {}, {}) is None


def test_dtype_families_are_those_of_jaxtyping():
    import jaxtyping

    theirs = {
        name: getattr(jaxtyping, name)
        for name in dir(reference)
        if isinstance(getattr(reference, name), type(Float)) and name != "AbstractDtype" and hasattr(jaxtyping, name)
    }
    for name, family in theirs.items():
        names = None if family.dtypes is reference._any_dtype else frozenset(family.dtypes)
        assert DTYPES[name].names == names
    assert set(theirs) <= set(DTYPES)
