"""A text to learn from, made up here: sums in words, such as "two plus three is five"."""

import torch
from jaxtyping import Int
from torch import Tensor

from shapecheck import shapechecked

NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight")


def make_text(sentences: int, generator: torch.Generator) -> str:
    """Draw that many sums of two numbers from zero to four."""
    pairs = torch.randint(5, (sentences, 2), generator=generator).tolist()
    return " ".join(f"{NUMBERS[a]} plus {NUMBERS[b]} is {NUMBERS[a + b]}." for a, b in pairs)


class Alphabet:
    """The characters of a text, numbered from 0 to V-1."""

    def __init__(self, text: str) -> None:
        self.characters = sorted(set(text))
        self.ids = {character: index for index, character in enumerate(self.characters)}

    def __len__(self) -> int:
        return len(self.characters)

    def encode(self, text: str) -> Int[Tensor, "N"]:
        """The number of each character. Raises KeyError for one that is not in the alphabet."""
        return torch.tensor([self.ids[character] for character in text])

    def decode(self, ids: Int[Tensor, "N"]) -> str:
        """The characters with these numbers."""
        return "".join(self.characters[index] for index in ids.tolist())


@shapechecked
def draw_batch(
    text: Int[Tensor, "N"], B: int, T: int, generator: torch.Generator
) -> tuple[Int[Tensor, "B T"], Int[Tensor, "B T"]]:
    """B windows of T characters from random places, and the character that follows each of them."""
    starts = torch.randint(len(text) - T, (B,), generator=generator)
    places = starts[:, None] + torch.arange(T)
    return text[places], text[places + 1]
