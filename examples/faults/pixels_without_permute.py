"""An image becomes a sequence of pixels by a reshape alone.

Always silent: a "pixel" then holds C neighbouring values of one channel, not its C channels.
"""

from jaxtyping import Float
from torch import Tensor

from shapecheck import shapechecked


@shapechecked
def pixels_as_tokens(image: Float[Tensor, "B C Y X"]) -> Float[Tensor, "B Y*X C"]:
    B, C, Y, X = image.shape
    return image.reshape(B, Y * X, C)  # error: SC301
    # repair: return image.flatten(2).transpose(1, 2)
