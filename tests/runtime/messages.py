"""Calls that do not fit, by name.

`python -m tests.runtime.messages > tests/runtime/messages.txt` writes down what each of them says, after a change that
is meant: read the difference as the one who gets to see these messages.
"""

import re
import sys
import typing
from collections.abc import Callable, Iterator

import numpy as np
import torch
from jaxtyping import Bool, Float, Float32, Int, Shaped
from torch import Tensor, nn

from shapecheck import shapechecked

CASES: dict[str, Callable[[], object]] = {}
Z = torch.zeros


def case(function):
    """Register a call under its name."""
    CASES[function.__name__] = function
    return function


@shapechecked
def project(q: Float[Tensor, "B T D"], w: Float[Tensor, "D E"]) -> Float[Tensor, "B T E"]:
    return q @ w


@shapechecked
def attend(
    q: Float[Tensor, "B H T Dh"],
    k: Float[Tensor, "B H S Dh"],
    v: Float[Tensor, "B H S Dh"],
    mask: Bool[Tensor, "#B 1 T S"] | None = None,
    *,
    scale: float = 1.0,
) -> Float[Tensor, "B H T Dh"]:
    return q


@shapechecked(dims={"D": "d_model"})
class Embedding(nn.Module):
    def __init__(self, d_model: int):
        super().__init__()
        self.d_model = d_model

    def forward(self, ids: Int[Tensor, "B T"], x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T D"]:
        return x

    def spectrum(self, x: Float[Tensor, "B {self.d_model//2}"]) -> Float32[Tensor, "B"]:
        return x[:, 0].double()

    def grow(self, x: Float[Tensor, "B T"]) -> Float[Tensor, "B T-1 2*T"]:
        return x[:, :, None]


@case
def transposed_argument():
    project(Z(2, 8, 5), Z(8, 7))


@case
def wrong_weight():
    project(Z(2, 5, 8), Z(9, 7))


@case
def transposed_weight():
    project(Z(2, 5, 8), Z(7, 8))


@case
def missing_batch():
    project(Z(5, 8), Z(8, 7))


@case
def extra_axis():
    project(Z(1, 2, 5, 8), Z(8, 7))


@case
def one_batch_axis_too_many():
    project(Z(3, 2, 5, 8), Z(8, 7))


@case
def missing_batch_of_an_array():
    @shapechecked
    def score(a: Float[np.ndarray, "n d"], b: Float[np.ndarray, "d"]) -> None:
        return None

    score(np.zeros(3), np.zeros(3))


@case
def integer_dtype():
    project(Z(2, 5, 8, dtype=torch.int64), Z(8, 7))


@case
def no_tensor():
    project([[1.0]], Z(8, 7))


@case
def none_where_a_tensor_is_needed():
    project(None, Z(8, 7))


@case
def heads_and_time_swapped():
    attend(Z(2, 5, 4, 8), Z(2, 4, 6, 8), Z(2, 4, 6, 8))


@case
def heads_and_time_swapped_in_two():
    attend(Z(2, 4, 5, 8), Z(2, 6, 4, 8), Z(2, 6, 4, 8))


@case
def mask_of_float_dtype():
    attend(Z(2, 4, 5, 8), Z(2, 4, 6, 8), Z(2, 4, 6, 8), Z(2, 1, 5, 6))


@case
def mask_without_head_axis():
    attend(Z(2, 4, 5, 8), Z(2, 4, 6, 8), Z(2, 4, 6, 8), Z(2, 5, 6) > 0)


@case
def mask_broadcast_to_another_batch():
    attend(Z(2, 4, 5, 8), Z(2, 4, 6, 8), Z(2, 4, 6, 8), Z(3, 1, 5, 6) > 0)


@case
def scale_of_wrong_type():
    attend(Z(2, 4, 5, 8), Z(2, 4, 6, 8), Z(2, 4, 6, 8), scale="0.5")


@case
def dims_of_the_class():
    Embedding(16).forward(Z(2, 5, dtype=torch.int64), Z(2, 5, 8))


@case
def braces():
    Embedding(16).spectrum(Z(2, 7))


@case
def dtype_of_result():
    Embedding(16).spectrum(Z(2, 8))


@case
def rank_or_expression_of_result():
    Embedding(16).grow(Z(2, 3))


@case
def wrong_result():
    @shapechecked
    def pool(x: Float[Tensor, "B T D"]) -> Float[Tensor, "B D"]:
        return x.mean(0)

    pool(Z(2, 5, 8))


@case
def result_with_axes_swapped():
    @shapechecked
    def swap(x: Float[Tensor, "B T D"]) -> Float[Tensor, "B D T"]:
        return x

    swap(Z(2, 5, 8))


@case
def result_expression():
    @shapechecked
    def halve(x: Float[Tensor, "B T"]) -> Float[Tensor, "B T//2+1"]:
        return x[:, : x.shape[1] // 2]

    halve(Z(2, 8))


@case
def second_of_two_results():
    @shapechecked
    def split(x: Float[Tensor, "B D"]) -> tuple[Float[Tensor, "B D"], Float[Tensor, "D"]]:
        return x, x[:, 0]

    split(Z(2, 5))


@case
def too_few_results():
    @shapechecked
    def split(x: Float[Tensor, "B D"]) -> tuple[Float[Tensor, "B D"], Float[Tensor, "D"]]:
        return (x,)

    split(Z(2, 5))


@case
def result_forgotten():
    @shapechecked
    def scale(x: Float[Tensor, "B D"]) -> Float[Tensor, "B D"]:
        x * 2

    scale(Z(2, 5))


@case
def element_of_a_list():
    @shapechecked
    def stack(xs: list[Float[Tensor, "n D"]], bias: Float[Tensor, "D"]) -> int:
        return len(xs)

    stack([Z(2, 4), Z(3, 5)], Z(4))


@case
def value_of_a_dictionary():
    @shapechecked
    def encode(batch: dict[str, Float[Tensor, "B D"]]) -> int:
        return len(batch)

    encode({"image": Z(2, 4), "text": Z(2, 4, 1)})


@case
def yielded_value():
    @shapechecked
    def batches(x: Float[Tensor, "N D"]) -> Iterator[Float[Tensor, "b D"]]:
        yield x[:2]
        yield x[:2].T

    list(batches(Z(4, 3)))


@case
def variadic_axes():
    @shapechecked
    def mask(x: Float[Tensor, "*batch D"], keep: Bool[Tensor, "*batch"]) -> None:
        return None

    mask(Z(2, 3, 8), Z(3, 2) > 0)


@case
def variadic_axes_too_few():
    @shapechecked
    def last(x: Float[Tensor, "*batch T D"]) -> None:
        return None

    last(Z(8))


@case
def fixed_size():
    @shapechecked
    def colour(image: Float[Tensor, "B rgb=3 H W"]) -> None:
        return None

    colour(Z(2, 8, 8, 3))


@case
def square():
    @shapechecked
    def trace(x: Float[Tensor, "n n"]) -> Float[Tensor, ""]:
        return x.trace()

    trace(Z(3, 4))


@case
def union_of_tensors():
    @shapechecked
    def embed(x: Int[Tensor, "B T"] | Float[Tensor, "B T D"]) -> None:
        return None

    embed(Z(2, 3))


@case
def none_of_a_union():
    @shapechecked
    def embed(x: Float[Tensor, "B T"] | int | None) -> None:
        return None

    embed("token")


@case
def argument_of_star():
    @shapechecked
    def add(*terms: Float[Tensor, "B D"]) -> None:
        return None

    add(Z(2, 3), Z(2, 3), Z(3, 2))


@case
def numpy_arrays():
    @shapechecked
    def mix(a: Float[np.ndarray, "n d"], b: Float[np.ndarray, "d n"]) -> None:
        return None

    mix(np.zeros((2, 3)), np.zeros((2, 3)))


@case
def numpy_for_torch():
    project(np.zeros((2, 5, 8)), Z(8, 7))


@case
def scalar():
    @shapechecked
    def loss(x: Float[Tensor, "B"]) -> Float[Tensor, ""]:
        return x

    loss(Z(3))


@case
def other_hints():
    @shapechecked
    def train(x: Float[Tensor, "B"], mode: typing.Literal["mean", "sum"], steps: int | None = None) -> None:
        return None

    train(Z(3), "max")


@case
def many_arguments():
    @shapechecked
    def gather(table: Shaped[Tensor, "V D"], ids: Int[Tensor, "B T"], out: Float[Tensor, "B T D"]) -> None:
        return None

    gather(Z(10, 4), Z(2, 3, dtype=torch.int64), Z(3, 2, 4))


def said(name):
    """What a call says, without paths and line numbers."""
    try:
        CASES[name]()
    except TypeError as error:
        return re.sub(r"( at )\S*?(\w+\.py):\d+", r"\1\2", str(error))
    return "(not refused)"


def everything():
    """All messages, as the file beside this one holds them."""
    return "".join(f"-- {name}\n{said(name)}\n\n" for name in CASES)


if __name__ == "__main__":
    sys.stdout.write(everything())
