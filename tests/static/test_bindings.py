"""Expressions that cannot be evaluated when their annotation is read: at the call, jaxtyping and we refuse them too."""

import numpy as np
import pytest
from beartype import beartype
from jaxtyping import AnnotationError, jaxtyped

from shapecheck import AnnotationUseError, shapechecked
from shapecheck.static import check_source

Z = np.zeros
HEAD = "from jaxtyping import Float\nfrom numpy import ndarray\n"
CASES = {
    # Parameters, in the order of the signature, however they are passed.
    'x: A["b t"], y: A["b t-1"]': (Z((2, 5)), Z((2, 4))),
    'x: A["b t-1"], y: A["b t"]': (Z((2, 4)), Z((2, 5))),
    'x: A["t t-1"]': (Z((5, 4)),),
    'x: A["t-1 t"]': (Z((4, 5)),),
    'x: A["*t"], y: A["b t-1"]': (Z((2, 5)), Z((2, 4))),
    'x: A["b t=5"], y: A["b t-1"]': (Z((2, 5)), Z((2, 4))),
    'x: A["b #t"], y: A["b t-1"]': (Z((2, 5)), Z((2, 4))),
    'x: A["b #t-1"], y: A["b t"]': (Z((2, 1)), Z((2, 5))),
    'x: A["b t"], y: A["b max(t,9)"]': (Z((2, 5)), Z((2, 9))),
    'x: A["b t"], y: A["b int(t/2)"]': (Z((2, 4)), Z((2, 2))),
    'x: A["b t"], *y: A["b t-1"]': (Z((2, 5)), Z((2, 4))),
    # Unions, tuples and other containers.
    'x: A["b t"] | None, y: A["b t-1"]': (Z((2, 5)), Z((2, 4))),
    'x: A["b t-1"] | None, y: A["b t"]': (Z((2, 4)), Z((2, 5))),
    'x: A["b t"] | A["b"], y: A["b t-1"]': (Z((2, 5)), Z((2, 4))),
    'x: tuple[A["b t"], A["b t-1"]]': ((Z((2, 5)), Z((2, 4))),),
    'x: tuple[A["b t-1"], A["b t"]]': ((Z((2, 4)), Z((2, 5))),),
    'x: list[A["b t-1"]], y: A["b t"]': ([Z((2, 4))], Z((2, 5))),
    # Parameters that are no axes.
    'x: A["b t"], n: int, y: A["b t+n"]': (Z((2, 5)), 1, Z((2, 6))),
    'x: A["b t"], n: int, y: A["b t+{n}"]': (Z((2, 5)), 1, Z((2, 6))),
    'x: A["b t"], y: A["b t+{n}"], n: int': (Z((2, 5)), Z((2, 6)), 1),
    'x: A["b c*n*n"], n: int': (Z((2, 4)), 2),
    'x: A["b t"], y: A["b {t}"]': (Z((2, 5)), Z((2, 5))),
    'x: A["b {N}"]': (Z((2, 5)),),
    'x: A["b"], y: A["b {x.shape[0]}"]': (Z(2), Z((2, 2))),
    # Results, which are read last.
    'x: A["b t"] -> A["b t-1"]': (Z((2, 5)), Z((2, 4))),
    'x: A["b g"] -> A["b (g*r)"]': (Z((2, 3)), Z((2, 6))),
    'x: A["b g"] -> A["b r g*r"]': (Z((2, 3)), Z((2, 2, 6))),
    'x: A["b g"] -> A["b g*r r"]': (Z((2, 3)), Z((2, 6, 2))),
    'x: A["b c*r"] -> A["b c r"]': (Z((2, 6)), Z((2, 3, 2))),
    'x: A["b"] -> tuple[A["b t"], A["b t-1"]]': (Z(2), (Z((2, 5)), Z((2, 4)))),
    'x: A["b"] -> tuple[A["b t-1"], A["b t"]]': (Z(2), (Z((2, 4)), Z((2, 5)))),
}
"""The signature of a function, and what fits in it: the arguments, and the result where one is declared."""


def source_of(signature):
    parameters, arrow, result = signature.replace("A[", "Float[ndarray, ").partition(" -> ")
    return f"{HEAD}def f({parameters}){arrow}{result}:\n    return RESULT\n"


def refuses(decorate, error, signature, values):
    has_result = "->" in signature
    names = {"RESULT": values[-1] if has_result else None}
    exec(source_of(signature), names)  # noqa: S102
    try:
        decorate(names["f"])(*(values[:-1] if has_result else values))
    except error:
        return True
    return False


@pytest.mark.parametrize("signature", CASES)
def test_what_is_refused_at_the_call_is_reported(signature):
    reported = {"SC101", "SC104"}.intersection(found.code for found in check_source(source_of(signature)).diagnostics)
    theirs = refuses(jaxtyped(typechecker=beartype), AnnotationError, signature, CASES[signature])
    assert bool(reported) == theirs
    assert refuses(shapechecked, AnnotationUseError, signature, CASES[signature]) == theirs


def test_a_name_that_elements_bind_may_be_bound():
    """With jaxtyping it is, of whichever element is looked at; with us each element has its own."""
    signature, values = 'x: dict[str, A["b t"]], y: A["b t-1"]', ({"a": Z((2, 5))}, Z((2, 4)))
    assert check_source(source_of(signature)).diagnostics == []
    assert not refuses(jaxtyped(typechecker=beartype), AnnotationError, signature, values)


def test_half_of_the_cases_are_refused():
    refused = [s for s, values in CASES.items() if refuses(jaxtyped(typechecker=beartype), AnnotationError, s, values)]
    assert 12 <= len(refused) <= 20
