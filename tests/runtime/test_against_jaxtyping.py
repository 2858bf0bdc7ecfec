"""Verdicts on generated calls against jaxtyping with beartype, which is the reference wherever it is deterministic.

The everyday suite draws 2,000 of them; `pytest -m full` all 20,000, and `python -m tests.runtime.test_against_jaxtyping
0 20000` also counts them.
"""

import sys

import pytest
from beartype import beartype
from jaxtyping import AnnotationError, jaxtyped
from jaxtyping import TypeCheckError as JaxtypingError

from shapecheck import AnnotationUseError, ShapeError, shapechecked
from tests.runtime.cases import Case


def verdict(decorate, case):
    """Whether the call passes, and how it failed."""
    try:
        decorate(case.function())(*case.arguments, case.n)
    except (ShapeError, JaxtypingError) as error:
        return "mismatch", str(error)
    except (AnnotationUseError, AnnotationError) as error:
        return "annotation", str(error)
    except (AttributeError, IndexError, ZeroDivisionError, SyntaxError) as error:
        return "expression", repr(error)  # braces that the arguments do not bear
    return "pass", ""


def compare(seed):
    """None if the verdicts agree, else what differs; and whether the call passes."""
    case = Case(seed)
    theirs, reason = verdict(jaxtyped(typechecker=beartype), case)
    ours, message = verdict(shapechecked, case)
    passes = theirs == "pass"
    if (ours == "pass") == passes:
        return None, passes
    # A union of tensors takes its first member that fits in jaxtyping; we try the others when the rest does not fit.
    if ours == "pass" and case.unions:
        return None, passes
    shapes = [getattr(value, "shape", value) for value in (*case.arguments, case.n, case.result)]
    return f"{seed}: {case.source}{shapes}\nshapecheck: {ours} {message}\njaxtyping: {theirs} {reason}", passes


@pytest.mark.parametrize("block", range(8))
def test_generated_calls(block):
    outcomes = [compare(seed) for seed in range(block * 250, block * 250 + 250)]
    assert not [difference for difference, _ in outcomes if difference]
    assert 0.2 < sum(passes for _, passes in outcomes) / 250 < 0.8


@pytest.mark.full
def test_twenty_thousand_generated_calls():
    differences = [difference for seed in range(20_000) if (difference := compare(seed)[0])]
    assert not differences


if __name__ == "__main__":
    first, last = map(int, sys.argv[1:3])
    passed = different = containers = 0
    for number in range(first, last):
        found, fits = compare(number)
        passed += fits
        containers += Case(number).containers
        if found:
            different += 1
            sys.stdout.write(f"{found}\n\n")
    sys.stdout.write(f"{last - first} cases: {passed} calls fit, {containers} have containers; {different} differ\n")
