"""Annotations in quotes: whose names they may use, and what becomes of those that cannot be evaluated."""

import typing

import pytest
import torch
from jaxtyping import Float
from torch import Tensor

from shapecheck import AnnotationUseError, ShapecheckWarning, ShapeError, shapechecked


def test_string_annotations_with_local_aliases():
    local_alias = Float[Tensor, "n"]

    @shapechecked
    def f(x: "local_alias", y: "list[local_alias]", z: "Optional2 | None" = None) -> "Float[Tensor, 'n']":
        return x

    Optional2 = typing.Optional[local_alias]  # noqa: UP045
    del Optional2
    with pytest.warns(ShapecheckWarning, match="annotation of `z`"):
        assert f(torch.zeros(2), [torch.zeros(2)]).shape == (2,)
    with pytest.raises(ShapeError):
        f(torch.zeros(2, 2), [])


def test_string_annotations_with_local_aliases_wherever_the_decorator_stands():
    local_alias = Float[Tensor, "n"]

    @shapechecked(locals=False)
    def f(x: "local_alias"):
        return x

    @shapechecked
    class C:
        def method(self, x: "local_alias") -> "C":
            return self

        @staticmethod
        def static(x: "local_alias"):
            return x

    for call in (f, C().method, C.static):
        call(torch.zeros(2))
        with pytest.raises(ShapeError):
            call(torch.zeros(2, 2))


def test_methods_do_not_hide_types_from_annotations_in_quotes():
    @shapechecked
    class Operator:
        size = Float[Tensor, "n"]

        def float(self) -> "Operator":
            return self

        def scale(self, x: "size | float") -> "float":
            return 1.0

    Operator().scale(2.0)
    Operator().scale(torch.zeros(2))
    with pytest.raises(ShapeError):
        Operator().scale(torch.zeros(2, 2))


def test_an_annotation_that_cannot_be_evaluated_is_named():
    @shapechecked
    def f(x: "Float[Tensr, 'n']"):
        return x

    with pytest.warns(ShapecheckWarning, match=r"annotation of `x`, `Float\[Tensr, 'n'\]`.*Tensr.*not checked"):
        assert f(3) == 3

    @shapechecked
    def g(x: "Float[Tensor, '*a *b']"):
        return x

    with pytest.raises(AnnotationUseError, match="annotation of `x`"):
        g(torch.zeros(2))
