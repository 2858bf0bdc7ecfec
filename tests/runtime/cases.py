"""Random signatures with arguments for them, as source that jaxtyping and shapecheck both run.

Arguments are drawn so that about half of the calls fit: sizes come from a small pool (0 and 1 included), and shapes
mostly follow their annotation.
"""

import random
from collections.abc import Mapping, Sequence

import numpy as np
import torch
from jaxtyping import Bool, Float, Float32, Int, Int64, Num, Shaped
from torch import Tensor, nn

NAMESPACE = {
    "Bool": Bool, "Float": Float, "Float32": Float32, "Int": Int, "Int64": Int64, "Num": Num, "Shaped": Shaped,
    "Tensor": Tensor, "np": np, "nn": nn, "torch": torch, "Sequence": Sequence, "Mapping": Mapping,
}  # fmt: skip
NAMES = ["a", "b", "c", "T"]
FAMILIES = {
    "Float": torch.float32, "Int": torch.int64, "Bool": torch.bool, "Float32": torch.float32, "Shaped": torch.int8,
    "Num": torch.float64, "Int64": torch.int64,
}  # fmt: skip
EXPRESSIONS = ["a+1", "2*b", "(a*b)", "b-1", "min(a,b)", "a//2", "{n}", "{n}+a", "{x.shape[0]}", "a**2", "-a+b", "b%2"]


class Case:
    """One signature and arguments for it."""

    def __init__(self, seed):
        self.draw = random.Random(seed)  # noqa: S311
        draw = self.draw
        self.sizes = {name: draw.choice([0, 1, 1, 2, 3, 4]) for name in NAMES}
        self.batch = tuple(draw.choice([1, 2, 3]) for _ in range(draw.randint(0, 2)))
        self.n = draw.choice([0, 1, 2, 3])
        self.unions = self.containers = False
        self.count = 0
        hints = [self.hint() for _ in range(draw.randint(1, 3))]
        self.parameters = [f"{name}: {text}" for name, (text, _) in zip("xyz", hints, strict=False)]
        self.arguments = [value for _, value in hints]
        self.returns, self.result = self.hint()
        if draw.random() < 0.15:
            self.returns, self.result = draw.choice([("None", None), ("int", 3), ("str", "s"), ("int", "s")])
        self.source = f"def f({', '.join(self.parameters)}, n: int) -> {self.returns}:\n    return result\n"

    def function(self):
        """A fresh function, that returns the drawn result."""
        namespace = dict(NAMESPACE, result=self.result)
        exec(self.source, namespace)  # noqa: S102
        return namespace["f"]

    def hint(self, depth=0, suffix=""):
        """The text of an annotation and a value for it."""
        draw = self.draw
        kind = draw.random()
        if kind < 0.65 or depth > 2:
            return self.array(suffix)
        if kind < 0.73:
            text, value = self.array(suffix)
            return f"{text} | None", draw.choice([value, value, None])
        if kind < 0.79:
            (first, one), (second, two) = self.array(suffix), self.array(suffix)
            self.unions = True
            return f"{first} | {second}", draw.choice([one, two])
        if kind < 0.87:
            parts = [self.hint(depth + 1, suffix) for _ in range(draw.randint(1, 2))]
            value = tuple(value for _, value in parts)
            return f"tuple[{', '.join(text for text, _ in parts)}]", draw.choice([value, value, value, list(value)])
        if kind < 0.97:
            return self.container(depth)
        return draw.choice([("int", 3), ("str", "s"), ("float", 1.0), ("float", 1), ("int", True), ("object", None)])

    def container(self, depth):
        """A container of any length, with names of its own.

        It has one element at most: of longer ones jaxtyping and beartype look at one at random.
        """
        draw = self.draw
        self.containers = True
        self.count += 1
        text, value = self.hint(depth + 1, str(self.count))
        kind = draw.choice(["list", "tuple", "dict", "Sequence", "Mapping"])
        if kind in {"dict", "Mapping"}:
            return f"{kind}[str, {text}]", draw.choice([{"k": value}, {"k": value}, {}, {3: value}, [value]])
        if kind == "tuple":
            return f"tuple[{text}, ...]", draw.choice([(value,), (value,), (), [value]])
        return f"{kind}[{text}]", draw.choice([[value], [value], [], (value,), {"k": value}])

    def array(self, suffix=""):
        """A tensor annotation and a tensor."""
        draw = self.draw
        family = draw.choice(list(FAMILIES))
        tokens, shape = [], []
        variadic = False
        for _ in range(draw.choice([0, 1, 1, 2, 2, 3])):
            token, sizes = self.axis(suffix, variadic)
            variadic |= token.startswith(("*", "...", "#*"))
            tokens.append(token)
            shape += sizes
        if draw.random() < 0.12 and shape:
            index = draw.randrange(len(shape))
            shape[index] = draw.choice([shape[index] + 1, 1, 0, 2])
        if draw.random() < 0.05:
            shape = draw.choice([[*shape, 2], shape[1:], shape[::-1]])
        shape = [max(size, 0) for size in shape]
        dtype = FAMILIES[family] if draw.random() < 0.95 else torch.complex64
        value = torch.zeros(shape, dtype=dtype)
        kind = draw.random()
        if kind < 0.04:
            return f'{family}[np.ndarray, "{" ".join(tokens)}"]', value.numpy()
        if kind < 0.08:
            value = draw.choice([value.numpy(), value.tolist(), 3, None])
        elif kind < 0.12 and dtype.is_floating_point:
            value = nn.Parameter(value)
        array = "Tensor" if kind < 0.9 else draw.choice(["torch.Tensor", "Tensor | np.ndarray", "nn.Parameter"])
        return f'{family}[{array}, "{" ".join(tokens)}"]', value

    def axis(self, suffix, variadic):
        """One token and the sizes it stands for."""
        draw = self.draw
        kind = draw.random()
        name = draw.choice(NAMES)
        size = self.sizes[name]
        if kind < 0.5:
            return name + suffix, [size]
        if kind < 0.6:
            return f"#{name}{suffix}", [draw.choice([size, 1])]
        if kind < 0.68:
            return str(size), [size]
        if kind < 0.72:
            return f"rows={size}", [size]
        if kind < 0.77:
            return draw.choice(["_", "_rows"]), [draw.choice([0, 1, 5])]
        if kind < 0.9 and not variadic:
            if kind < 0.81:
                return "...", list(self.batch)
            if kind < 0.86:
                return "*batch" + suffix, list(self.batch)
            shrunk = [draw.choice([size, 1]) for size in self.batch]
            return f"*#batch{suffix}", draw.choice([shrunk, shrunk[1:]])
        if suffix:
            return name + suffix, [size]
        text = draw.choice(EXPRESSIONS)
        if "x." in text:
            return text, [draw.choice([0, 1, 2, 3, 4])]
        known = dict(self.sizes)
        return text, [int(eval(text.replace("{n}", str(self.n)), known))]  # noqa: S307
