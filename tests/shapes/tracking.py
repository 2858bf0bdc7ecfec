"""A tensor that remembers, next to a shape that predicts: which element of the source stands where."""

from math import prod

import torch

from shapecheck.shapes import Axis, Part, Shape


class Tracked:
    """A source tensor of which every element has its own number, and what operations made of it and of its shape."""

    def __init__(self, sizes, values):
        """``sizes``: the dims of the source; ``values``: the number for each symbol in them."""
        self.values = values
        self.identities = [object() for _ in sizes]
        self.source = [size.evaluate(values) for size in sizes]
        self.shape = Shape([Axis.of(size, ident=ident) for size, ident in zip(sizes, self.identities, strict=True)])
        self.tensor = torch.arange(prod(self.source)).reshape(self.source)

    def permuted(self, order):
        self.shape = Shape([self.shape[position] for position in order])
        self.tensor = self.tensor.permute(order)

    def numbers(self, sizes):
        return [size.evaluate(self.values) for size in sizes]

    def is_followed(self):
        return all(factor.ident is not None for axis in self.shape for factor in axis.factors)

    def predicted(self):
        """The tensor that the factors of the shape's axes describe."""
        lengths = [axis.size.evaluate(self.values) for axis in self.shape]
        grid = torch.zeros([1] * len(lengths), dtype=torch.long)
        for position, (axis, length) in enumerate(zip(self.shape, lengths, strict=True)):
            index = torch.arange(length)
            assert prod(factor.size.evaluate(self.values) for factor in axis.factors) == length
            along = torch.zeros(length, dtype=torch.long)
            inner = length
            for factor in axis.factors:
                inner //= factor.size.evaluate(self.values)
                along += index // inner % factor.size.evaluate(self.values) * self.stride(factor)
            grid = grid + along.reshape([length if place == position else 1 for place in range(len(lengths))])
        return grid.expand(lengths)

    def stride(self, factor):
        """How far apart in the source two neighbours along the factor stand."""
        if isinstance(factor.ident, Part):
            whole, outer = factor.ident.whole, factor.ident.outer
            length = whole.size.evaluate(self.values)
            inside = length // (outer.evaluate(self.values) * factor.size.evaluate(self.values))
        else:
            whole, inside = factor, 1
        position = self.identities.index(whole.ident)
        return prod(self.source[position + 1 :]) * inside

    def check(self):
        assert list(self.tensor.shape) == [axis.size.evaluate(self.values) for axis in self.shape]
        if self.is_followed():
            assert torch.equal(self.predicted(), self.tensor)
