"""What a failing call says, to its reader and to programs."""

import inspect
import pathlib
import traceback

import pytest
import torch
from jaxtyping import Float
from torch import Tensor, nn

from shapecheck import AnnotationUseError, ShapeError, shapechecked
from tests.runtime.messages import CASES, everything, project

HERE = pathlib.Path(__file__)


def failure(call):
    with pytest.raises(ShapeError) as caught:
        call()
    return caught.value


def test_every_message_is_the_one_written_down():
    assert everything() == HERE.with_name("messages.txt").read_text()


@pytest.mark.parametrize("name", CASES)
def test_a_message_is_short_and_names_what_programs_want(name):
    error = failure(CASES[name])
    assert isinstance(error, TypeError)
    lines = str(error).splitlines()
    assert len(lines) <= 20
    assert error.function.rpartition(".")[2] in lines[0]
    assert error.argument
    assert str(error.actual) in lines[0]
    assert str(error.expected) in lines[0]
    assert "tensor(" not in str(error)


def test_attributes():
    error = failure(CASES["transposed_argument"])
    assert (error.function, error.argument, error.axis, error.name) == ("project", "w", 0, "D")
    assert (error.expected, error.actual) == (5, 8)


def test_the_traceback_ends_at_the_call():
    for _ in range(2):  # the first call compiles the checker
        fresh = shapechecked(project.__wrapped__)
        with pytest.raises(ShapeError) as caught:
            fresh(torch.zeros(2, 8, 5), torch.zeros(8, 7))
        last = traceback.extract_tb(caught.value.__traceback__)[-1]
        assert (last.filename, last.name) == (__file__, "test_the_traceback_ends_at_the_call")
        assert f"called at {__file__}:{last.lineno}" in str(caught.value)
        assert caught.value.__cause__ is None
        assert caught.value.__context__ is None


def test_an_annotation_that_asks_too_much_shows_no_frames_of_ours():
    @shapechecked
    def early(x: Float[Tensor, "2*n"]):
        return x

    @shapechecked
    def late(x: Float[Tensor, "n"]) -> Float[Tensor, "m+1"]:
        return x

    for call in (early, late):
        with pytest.raises(AnnotationUseError, match=r"nothing has given [nm] a size") as caught:
            call(torch.zeros(2))
        assert {frame.filename for frame in traceback.extract_tb(caught.value.__traceback__)} == {__file__}
        assert caught.value.__context__ is None


def test_declared_at_is_the_line_of_the_definition():
    @shapechecked
    def f(x: Float[Tensor, "n"]) -> None:
        return None

    line = inspect.getsourcelines(f)[1] + 1
    assert f"declared at {__file__}:{line}" in str(failure(lambda: f(torch.zeros(2, 2))))


def test_the_call_is_found_beyond_module_machinery():
    class Model(nn.Module):
        @shapechecked
        def forward(self, x: Float[Tensor, "n"]) -> None:
            return None

    line = inspect.currentframe().f_lineno + 1
    error = failure(lambda: Model()(torch.zeros(2, 2)))
    assert f"called at {__file__}:{line}" in str(error)


def test_errors_of_the_body_stay_as_they_are():
    @shapechecked
    def f(x: Float[Tensor, "n"]) -> None:
        raise KeyError(len(x))

    for _ in range(2):
        with pytest.raises(KeyError) as caught:
            f(torch.zeros(2))
        assert traceback.extract_tb(caught.tb)[-1].name == "f"
