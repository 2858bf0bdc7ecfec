"""Annotations in source: what they mean, and where in the file each token stands."""

import ast

import pytest

from shapecheck.annotations import (
    Alias,
    ArrayHint,
    DictHint,
    InvalidHint,
    NoneHint,
    OtherHint,
    Resolver,
    SequenceHint,
    TupleHint,
    UnionHint,
    arrays,
    parse_annotation,
)

KNOWN = {
    "Float": "jaxtyping.Float",
    "Int": "jaxtyping.Int",
    "Bool": "jaxtyping.Bool",
    "Shaped": "jaxtyping.Shaped",
    "jt.Float": "jaxtyping.Float",
    "Tensor": "torch.Tensor",
    "torch.Tensor": "torch.Tensor",
    "np.ndarray": "numpy.ndarray",
    "Optional": "typing.Optional",
    "Union": "typing.Union",
    "Annotated": "typing.Annotated",
    "ClassVar": "typing.ClassVar",
    "Literal": "typing.Literal",
    "Sequence": "collections.abc.Sequence",
    "List": "typing.List",
    "Iterator": "typing.Iterator",
    "Callable": "typing.Callable",
    "Any": "typing.Any",
}


class Names(Resolver):
    path = "model.py"

    def __init__(self, source, names=KNOWN):
        self.lines = source.splitlines(keepends=True)
        self.names = names

    def resolve(self, dotted):
        return self.names.get(dotted)

    def source_line(self, number):
        return self.lines[number - 1]


def read(source, **names):
    node = ast.parse(source).body[-1].annotation
    return parse_annotation(node, Names(source, KNOWN | names))


def tokens(source, hint):
    """The text that the file has at the place of each axis."""
    lines = source.splitlines(keepends=True)
    found = []
    for axis in hint.spec.shape.axes:
        line, column, end_line, end_column = hint.place.locate(axis.start, axis.end)
        assert line == end_line
        found.append(lines[line - 1].encode()[column:end_column].decode())
    return found


@pytest.mark.parametrize(
    "source",
    [
        'x: Float[Tensor, "B T {self.d}"]',
        'x: Float[Tensor, r"B T {self.d}"]',
        'x: Float[Tensor, " B  T {self.d} "]',
        'x: jt.Float[torch.Tensor, "B T " "{self.d}"]',
        "x: Float[\n    Tensor,\n    \"B \"  # batch\n    r'T {self.d}'\n]",
        'x: Float[Tensor, """\n    B T\n    {self.d}\n"""]',
        'x: Float[Tensor, "B T\\t{self.d}"]',
        "x: \"Float[Tensor, 'B T {self.d}']\"",
        "é: Optional[\"Float[Tensor, 'B T {self.d}']\"]",
        'x: r"""\n  Float[Tensor,\n    \'B T {self.d}\']"""',
        "x: \"Float[Tensor, \" \"'B T ' '{self.d}']\"",
        'x: "Float[Tensor, \\"B T {self.d}\\"]"',
        'x: Float[Tensor, "é T {self.d}"]',
    ],
)
def test_tokens_are_found_in_the_file(source):
    (array,) = arrays(read(source))
    found = tokens(source, array)
    assert found in (["B", "T", "{self.d}"], ["é", "T", "{self.d}"])
    assert found == [axis.text for axis in array.spec.shape.axes]
    assert array.place.path == "model.py"


def test_a_literal_without_its_source_falls_back_to_its_whole_span():
    node = ast.parse('x: Float[Tensor, "B " "T"]').body[0].annotation
    names = Names("")
    names.source_line = lambda _: None
    hint = parse_annotation(node, names)
    assert hint.place.locate(2, 3) == (1, 17, 1, 25)


def test_unions_containers_and_special_forms():
    array = read('x: Float[Tensor, "n"]')
    assert read('x: Float[Tensor, "n"] | None') == UnionHint((array, NoneHint()))
    assert read('x: Optional[Float[Tensor, "n"]]') == UnionHint((array, NoneHint()))
    assert read('x: Union[None, Float[Tensor, "n"], Optional[Float[Tensor, "n"]]]') == UnionHint((NoneHint(), array))
    assert read('x: tuple[Float[Tensor, "n"], ...]') == TupleHint((array,), variadic=True)
    assert read('x: tuple[Float[Tensor, "n"], int]') == TupleHint(
        (array, OtherHint("", "builtins.int")), variadic=False
    )
    assert read('x: List[Float[Tensor, "n"]]') == SequenceHint("builtins.list", array)
    assert read('x: Sequence[Float[Tensor, "n"]]') == SequenceHint("collections.abc.Sequence", array)
    assert read('x: dict[str, Float[Tensor, "n"]]') == DictHint("builtins.dict", OtherHint("", "builtins.str"), array)
    assert read('x: Annotated[Float[Tensor, "n"], "doc"]') == array
    assert read('x: ClassVar[Float[Tensor, "n"]]') == array
    assert read('x: Iterator[Float[Tensor, "n"]]') == OtherHint("", "collections.abc.Iterator", (array,))
    assert read('x: Callable[[Float[Tensor, "n"]], int]').args == (array, OtherHint("", "builtins.int"))
    assert read('x: Literal["n", "m"]') == OtherHint("", "typing.Literal")
    assert read("x: None") == NoneHint()


def test_nested_annotations_are_joined():
    source = 'x: Float[Shaped[Tensor, "c *d"], "a b"]'
    hint = read(source)
    assert hint.spec.shape.text == "a b c *d"
    assert hint.spec.dtype.name == "Float"
    assert tokens(source, hint) == ["a", "b", "c", "*d"]
    assert isinstance(read('x: Float[Int[Tensor, "c"], "a"]'), InvalidHint)
    assert isinstance(read('x: Float[Float[Tensor, "*c"], "*a"]'), InvalidHint)


def test_aliases_lead_to_where_they_are_written():
    other = Names('F = Float\nBatch = F[Tensor, "b n"]')
    other.path = "types.py"
    other.names = KNOWN | {"F": ast.parse("Float", mode="eval").body}
    alias = Alias(ast.parse("".join(other.lines)).body[-1].value, other)
    hint = read("x: Batch | None", Batch=alias)
    (array,) = arrays(hint)
    assert array.place.path == "types.py"
    assert array.place.locate(2, 3) == (2, 21, 2, 22)
    hint = read("x: Float[Tensor, SHAPE]", SHAPE=ast.parse("'b n'", mode="eval").body)
    assert hint.spec.shape.text == "b n"
    loop = ast.parse("A", mode="eval").body
    assert isinstance(read("x: A", A=loop), OtherHint)
    assert isinstance(read('x: A[Tensor, "n"]', A=loop), OtherHint)


def test_a_wrapper_of_one_argument():
    hint = read('x: Float["b n d"]', Float="project.typing.Float")
    assert isinstance(hint, ArrayHint)
    assert hint.spec.array == "torch.Tensor"
    assert isinstance(read('x: Float["b n d"]'), InvalidHint)


def test_array_types():
    assert read('x: Float[Any, "n"]').spec.array == "typing.Any"
    assert read('x: Float[float, "..."]') == OtherHint("", "builtins.float")
    assert isinstance(read('x: Float[float, "n"]'), InvalidHint)
    both = read('x: Float[Tensor | np.ndarray | float, "n"]')
    assert [hint.spec.array for hint in both.members] == ["torch.Tensor", "numpy.ndarray"]


def test_torchtyping():
    hint = read('x: TensorType["b", "rows": 4, ..., -1, 3, float]', TensorType="torchtyping.TensorType")
    assert hint.spec.shape.text == "b rows=4 ... _ 3"
    assert hint.spec.dtype.name == "Float"


@pytest.mark.parametrize(
    "source",
    [
        "x: 3",
        "x: f('n')",
        "x: 'not python'",
        "x: ''",
        "x: 'a, b'",
        "x: Float[Tensor, f'{n}']",
        "x: Float[Tensor, N]",
        "x: list[...]",
        "x: Float[()]",
        "x: Optional[()]",
        "x: Float[Tensor, 3]",
        "x: Float[Tensor]",
        "x: Float[Tensor, 'a', 'b']",
        "x: Float[list[int], 'a']",
        "x: tuple[()]",
        "x: '\"\\'x\\'\"'",
        "x: Union[()]",
        "x: dict[str]",
        "x: Float[(Tensor, 'n'), 'n']",
        "x: a.b().c",
        "x: jt.PyTree[()]",
    ],
)
def test_nothing_raises(source):
    read(source, **{"jt.PyTree": "jaxtyping.PyTree"})
