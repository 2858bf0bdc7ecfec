"""Any sizes whatever: nothing raises, nothing hangs."""

import time

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shapecheck.dims import ONE, ZERO, Dim, Kind, Symbol, maximum, minimum
from shapecheck.shapes import Axis, Context, Mismatch, Rest, Shape, broadcast, flatten, reshape, split_axis, use

SYMBOLS = [Dim.of(Symbol(f"{kind.value}{index}", kind)) for kind in Kind for index in range(3)]
numbers = st.sampled_from([ZERO, ONE, Dim.of(-1), Dim.of(-2), *map(Dim.of, (2, 3, 8, 10**30, 10**400))])
leaves = st.one_of(st.sampled_from(SYMBOLS), numbers)


def larger(children):
    divisors = st.sampled_from([*SYMBOLS, Dim.of(2), Dim.of(8)])
    return st.one_of(
        st.builds(lambda a, b: a * b, children, children),
        st.builds(lambda a, b: a + b, children, children),
        st.builds(lambda a, b: a - b, children, children),
        st.builds(lambda a, b: a // b, children, divisors),
        st.builds(minimum, children, children),
        st.builds(maximum, children, children),
    )


sizes = st.recursive(leaves, larger, max_leaves=6)


@st.composite
def shapes(draw):
    axes = [Axis.of(size) for size in draw(st.lists(sizes, max_size=6))]
    if draw(st.booleans()):
        axes.insert(draw(st.integers(0, len(axes))), Rest(draw(st.sampled_from(("batch", "...")))))
    return Shape(axes)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=300)
@given(st.lists(shapes(), min_size=1, max_size=3), st.lists(st.lists(sizes, max_size=6), min_size=1, max_size=3))
def test_any_sizes_are_answered(operands, targets):
    use(Context())
    start = time.process_time()
    found = broadcast(*operands)
    shape = operands[0] if isinstance(found, Mismatch) else found
    for target in targets:
        again = reshape(shape, target)
        if isinstance(again, Shape):
            shape = again
            str(shape)
    if shape.axes and shape.rest is None:
        flatten(shape, 0, len(shape) - 1)
        split_axis(shape.known[0], [ONE, *targets[0]])
    assert time.process_time() - start < 2


def test_a_search_for_a_permutation_is_bounded():
    names = [Dim.of(Symbol(f"n{index}")) for index in range(16)]
    paired = [names[index] * names[15 - index] for index in range(16)]
    start = time.process_time()
    use(Context())
    reshape(Shape.of(*names, *names), paired)
    reshape(Shape.of(*names), [names[(7 * index + 3) % 16] for index in range(16)])
    reshape(Shape([Axis.of(Dim.of(2), ident=index) for index in range(40)]), [Dim.of(2**39), Dim.of(2)])
    reshape(Shape([Axis.of(names[0], ident=index) for index in range(20)]), [names[0] ** 9 * names[1], names[0] ** 11])
    assert time.process_time() - start < 5
