"""Programs that turn in circles or grow without end: for the fuzzed inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.mdtest.blocks import PRELUDE
from tests.static.fuzz_shapes import absurd_shape

if TYPE_CHECKING:
    import random

_CIRCLES = """\
#: a class that is its own base
class A(A):
    x: Float[Tensor, 'n']
    def f(self, x: Float[Tensor, 'n']):
        return super().f(self.g(x)) + A().f(x)
#: classes in a circle
class A(B):
    def f(self, x: Float[Tensor, 'n']):
        return self.g(x) + super().f(x)
class B(C):
    pass
class C(A):
    h = A.f
    def g(self, x):
        return self.h(x)
#: attributes in a circle
class A(nn.Module):
    def __init__(self, n):
        self.a = self
        self.b = [self]
        self.c = {'a': self.b}
        self.n = self.a.n
        self.layers = nn.ModuleList([A(n) for _ in range(n)])
    def forward(self, x: Float[Tensor, 'n']) -> Float[Tensor, 'n']:
        return self.a.a.a.b[0].c['a'][0](self.layers[0](x))
#: properties in a circle
class A:
    @property
    def p(self) -> Float[Tensor, 'n']:
        return self.q
    @property
    def q(self):
        return self.p + self.r
    @property
    def r(self):
        return self.r
#: aliases in a circle
X = Y
Y = list[X]
Z = Float[Z, 'n']
W = 'W'
V = Float['V', 'n']
def f(x: X, y: Y, z: Z, w: W, v: V) -> Float[Tensor, 'n']:
    return x + y + z + w + v
#: a type that holds itself
type T = list[T] | Float[Tensor, 'n']
class N(NamedTuple):
    n: 'N'
    x: Float[Tensor, 'n']
def f(x: T, n: N, *args: 'N', **kwargs: T) -> T:
    a, (b, *c), d = n
    return f(n.n.n.n.x, n, *c, **d)
#: a dataclass of itself
from dataclasses import dataclass, field
@dataclass
class D:
    d: 'D'
    l: list['D']
    x: Float[Tensor, 'n {self.x}']
    y: Float[Tensor, 'n'] = field(default_factory=lambda: D().y)
    def f(self, o: 'D') -> Float[Tensor, 'n']:
        return self.d.l[0].d.f(D(self, [o], o.x)) + o.d.d.y
#: functions in a circle
def f(x: Float[Tensor, 'n']) -> Float[Tensor, 'n']:
    return g(x, f)
def g(x, h):
    return h(g(x, lambda y: h(g(y, h))))
#: a combinator
def f(x: Float[Tensor, 'n']) -> Float[Tensor, 'n']:
    y = (lambda g: g(g))(lambda g: lambda z: g(g)(z) + z)
    return y(x)
#: decorators of themselves
@f
def f(x: Float[Tensor, 'n']):
    return x
@f(f)
@(lambda g: g)
class C:
    @C
    @property
    @staticmethod
    def g(x: Float[Tensor, 'n']):
        return C.g(C().g)
#: lists that hold themselves
def f(x: Float[Tensor, 'n']) -> Float[Tensor, 'n']:
    a = [x]
    a.append(a)
    a[0] = a
    b = {}
    b[0] = b
    c = (a, b)
    while x.any():
        a, b, c = [a, c], {0: b, 1: a}, (c, a)
    return torch.stack(a) + torch.cat(b[0]) + sum(c, start=a)
#: names that delete themselves
def f(x: Float[Tensor, 'n']):
    global f, x
    nonlocal y
    del x, f
    return x + f
#: scopes
def f(x: Float[Tensor, 'n']):
    def g():
        nonlocal x
        x = [x]
        g()
        return x
    for x in g():
        x = g
    with x as x, g() as (x, *y):
        pass
    try:
        pass
    except* x as x:
        x()
    match x:
        case [x, *y] | {'a': x, **y} | f(x=y):
            return x
        case -1 | 1.5j | None | 'a' 'b':
            return y
    return [x for x in x if (x := x)][x:x:x, ...]
#: generators
def f(x: Float[Tensor, 'n']) -> Iterator[Float[Tensor, 'n']]:
    y = yield (yield from f((yield x)))
    async def g():
        async for a in f(x):
            async with a as a:
                await (yield a)
    return [*f(*f(**y)), *(z async for z in g())]
#: metaclasses
class M(type):
    def __call__(cls, *a, **k):
        return cls
    def __getattr__(cls, n):
        return cls
class A(nn.Module, metaclass=M, **M):
    __slots__ = __slots__
    def __new__(cls, x: Float[Tensor, 'n']):
        return super().__new__(cls)(x)
    def __init_subclass__(cls):
        cls(cls.x)
    def __getattr__(self, n):
        return getattr(self, n)
    def forward(self, x: Float[Tensor, 'n']):
        return self.a.b(self.c, **self)[self] @ self
#: numbers without bounds
def f(x: Float[Tensor, 'n m']):
    n = 10 ** 400 * x.shape[0] ** 400
    k = 2 ** 2 ** 20
    y = x.repeat(n, k).view(n, -1, k)[..., k:n, None][(0,) * 99]
    for i in range(k):
        y = y.unsqueeze(i)
    s = 1 << 10 ** 9
    t = 'a' * k + [x] * k
    return x.view(*[1] * 10 ** 9), y, (x,) * 10 ** 9, s, t
#: doubling
def f(x: Float[Tensor, 'n m'], c):
    y = (x, x)
    s = x
    d = x.shape[0]
    for _ in range(40):
        y = (y, y)
        s = torch.cat([s, s])
        d = d * d + d
        x = x @ x.T
        y = [*y, *y] if c else y
    return y, s.view(d, d), x
"""


def _programs() -> dict[str, str]:
    parts = [part.partition("\n") for part in _CIRCLES.split("#: ")[1:]]
    return {title: text for title, _, text in parts}


PROGRAMS: dict[str, str] = _programs()
"""By what they are."""


def absurd_programs(choose: random.Random) -> tuple[str, dict[str, str]]:
    """A kind and its files: circles, and what is too deep or too long."""
    drawn = choose.randrange(4)
    if drawn == 0:
        kind = choose.choice(list(PROGRAMS))
        other = choose.choice(list(PROGRAMS))
        return "circles", {"mutant.py": PRELUDE + PROGRAMS[kind] + PROGRAMS[other]}
    if drawn == 1:
        return "imports in circles", _imports(choose)
    if drawn == 2:
        return "absurd declarations", {"mutant.py": _only_declarations(choose)}
    return "depth and length", {"mutant.py": PRELUDE + deep_program(choose)}


def _imports(choose: random.Random) -> dict[str, str]:
    names = ["mutant", "a", "b", "__init__"]
    files = {}
    for name in names:
        lines = [PRELUDE]
        for _ in range(choose.randint(1, 5)):
            source = choose.choice([".", ".a", ".b", "a", "b", "mutant", "..", ".mutant", "...x"])
            what = choose.choice(["*", "f", "f as g", "A", "X", "a, b", "f as f"])
            lines.append(f"from {source} import {what}")
        lines += [
            "X = f",
            "class A(A): pass",
            "def f(x: X, y: Float[Tensor, 'n']) -> A:\n    from . import f\n    import a\n    return f(A(x), a.f(y))",
        ]
        choose.shuffle(lines)
        files[f"{name}.py"] = "\n".join(lines) + "\n"
    return files


def _only_declarations(choose: random.Random) -> str:
    parameters = ", ".join(
        f"x{number}: {choose.choice(('Float', 'Int', 'Bool'))}[Tensor, {absurd_shape(choose)}]"
        for number in range(choose.randint(1, 4))
    )
    return (
        f"{PRELUDE}def f({parameters}) -> Float[Tensor, {absurd_shape(choose)}]:\n"
        "    y = x0.reshape(-1, *x0.shape) @ x0.mT\n    z = torch.cat([x0, y[0]], dim=-1).sum(-1)\n"
        f"    w: Float[Tensor, {absurd_shape(choose)}] = z * x0.flatten()\n    a, *b = x0.shape\n    f(x0, w, z)\n"
        "    return torch.einsum('...a,...b->...ab', w, x0).view(a, -1)\n"
    )


def _lines(line: str, count: int, first: int = 0) -> str:
    """A line as often as told, `{i}` and `{j}` replaced by its number and the one before."""
    return "".join(line.replace("{i}", str(i)).replace("{j}", str(i - 1)) + "\n" for i in range(first, first + count))


def deep_program(choose: random.Random) -> str:
    """A function one part of which is nested or repeated very often."""
    n = choose.choice((20, 90, 150, 250, 400, 900, 2500, 3500))
    few = min(n, 95)
    many = " ".join(f"a{i}" for i in range(n))
    indented = "".join(
        "    " * depth + choose.choice(("if c[0]:", "for i in c:", "while c:", "with c as d:", "try:")) + "\n"
        for depth in range(1, few)
    )
    values = (
        f"{'+ x ' * n}",
        f"{'x + ' * n}x",
        f"{'(x + ' * few}x{')' * few}",
        f"{'-' * n}x",
        f"{'not ' * few}x",
        f"x{'.T' * n}",
        f"x{'.relu()' * n}",
        f"x{'.view(-1)[0]' * n}",
        f"x{'[None]' * n}",
        f"{'torch.relu(' * few}x{')' * few}",
        f"{'[' * few}x{']' * few}",
        f"{'lambda: ' * few}x",
        f"{'(lambda y: ' * few}x{')(x)' * few}",
        f"{'x if c else ' * n}x",
        f"{'x and ' * n}x",
        f"{'x < ' * n}x",
        f"{'x @ ' * n}x",
        f"[x {'for y in c ' * few}]",
        f"torch.cat([{'x, ' * n}])",
        f"torch.stack([{'x, ' * n}]).view({'1, ' * n}-1)",
        f"f({', '.join(f'a{i}=x' for i in range(n))})",
        f"x[{'..., ' * few}]",
        f"x.view({'-1, ' * n})",
        f"{{{', '.join(f'{i}: x' for i in range(n))}}}[c]",
        f"x.view(({'+'.join(f'c.a{i}' for i in range(few))}) ** 9, -1)",
        f"einops.rearrange(x, '{'(' * few}n{')' * few} m -> {' '.join(['n'] * few)} m')",
        f"einops.rearrange(x, '{many} -> ({many})')",
        f"torch.einsum('{'ij,' * n}jk->ik', {'x, ' * n} x)",
        f"f'{'{x}' * n}'",
        f"x + {'9' * min(n, 4000)}",
    )
    bodies = (
        "    x = x + x.T\n" * n,
        "    if c.a:\n        x = x + 1\n    else:\n        y = x\n" * n,
        "    x = torch.cat([x, x])\n" * n,
        "    for i in range(3):\n        x = x.repeat(2, i)\n" * min(n, 400),
        indented + "    " * few + "x = torch.cat([x, x])\n",
        "".join("    " * depth + f"def g{depth}(y):\n" for depth in range(1, few)) + "    " * few + "return x\n",
        f"    y = {'y = ' * n}x\n",
        f"    {'x, ' * n}= c\n",
        "    a0 = c\n" + _lines("    a{i} = x.shape[0] * a{j} + {i} if c else c", n, 1) + f"    x.view(a{n})\n",
        "    n, m = x.shape\n" + "    n, m = n * m + 1, m * n - n\n" * few + "    x = x.view(n, m)\n",
        "    n, m = x.shape\n" + "    n, m = n // m, m % (n + 1)\n" * few + "    x = x.view(n, m) + x.view(m, n)\n",
        "    if c == 0:\n        y = x\n" + _lines("    elif c == {i}: y = x + {i}", n),
        f"    y: {'list[' * few}Float[Tensor, 'n']{']' * few} = x\n",
        f"    y: {'int | ' * n}Float[Tensor, 'n'] = x\n",
        f"    # {'shapecheck: ignore[' * n}SC301]\n    y = x.view(3)  # shapecheck: ignore[SC2{'0' * n}]\n",
    )
    modules = (
        f"def g(y: {'int | ' * n}Float[Tensor, 'n']): pass\n",
        "if c == 0:\n    y = 1\n" + _lines("elif c == {i}: from a import *", n),
        f"X0 = Float[Tensor, 'n']\n{_lines('X{i} = X{j} | X{j}', n, 1)}def g(y: X{n}): pass\n",
        "class C0: pass\n" + _lines("class C{i}(C{j}):\n    def f(self, y: Float[Tensor, 'n']): super().f(y)", n, 1),
        "class C0: pass\nclass D0: pass\n" + _lines("class C{i}(C{j}, D{j}): pass\nclass D{i}(C{j}, D{j}): pass", n, 1),
        "def g0(y): return y\n" + _lines("def g{i}(y): return g{j}(y) + g{j}(y)", n, 1),
        "X0 = 1\n" + _lines("X{i} = X{j} + X{j}", n, 1),
    )
    kind = choose.randrange(3)
    text = 'def f(x: Float[Tensor, "n m"], c) -> Float[Tensor, "n m"]:\n'
    if kind == 0:
        return f"{text}    return {choose.choice(values)}\n"
    if kind == 1:
        return f"{text}{choose.choice(bodies)}    return x\n"
    return f"{text}    return X{n} + C{n}().f(x) + g{n}(x)\n{choose.choice(modules)}"
