"""Queries and keys are handed over in the wrong order.

Silent when Q == K: the memory then attends to the sentence.
"""

from jaxtyping import Float
from torch import Tensor

from shapecheck import shapechecked


@shapechecked
def attend(
    query: Float[Tensor, "B Q D"], key: Float[Tensor, "B K D"], value: Float[Tensor, "B K D"]
) -> Float[Tensor, "B Q D"]:
    return (query @ key.transpose(1, 2)).softmax(dim=-1) @ value


@shapechecked
def read_memory(sentence: Float[Tensor, "B T D"], memory: Float[Tensor, "B M D"]) -> Float[Tensor, "B D"]:
    return attend(memory, sentence, memory).mean(dim=1)  # error: SC202
    # repair: return attend(sentence, memory, memory).mean(dim=1)
