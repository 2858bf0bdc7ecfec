"""Which generic types of the standard library mean what, shared by the readers of source and of live objects."""

from __future__ import annotations

UNIONS = frozenset({"typing.Union", "types.UnionType"})
# Special forms that say nothing about the value itself: the first argument is the hint.
TRANSPARENT = frozenset(
    {
        "typing.Annotated",
        "typing.ClassVar",
        "typing.Final",
        "typing.NotRequired",
        "typing.ReadOnly",
        "typing.Required",
        "dataclasses.InitVar",
    }
)
# Containers whose elements can be looked at without using them up.
SEQUENCES = {
    "typing.List": "builtins.list",
    "typing.Set": "builtins.set",
    "typing.FrozenSet": "builtins.frozenset",
    "typing.Deque": "collections.deque",
    "typing.Sequence": "collections.abc.Sequence",
    "typing.MutableSequence": "collections.abc.MutableSequence",
    "typing.Collection": "collections.abc.Collection",
    "typing.AbstractSet": "collections.abc.Set",
    "typing.MutableSet": "collections.abc.MutableSet",
}
MAPPINGS = {
    "typing.Dict": "builtins.dict",
    "typing.Mapping": "collections.abc.Mapping",
    "typing.MutableMapping": "collections.abc.MutableMapping",
    "typing.DefaultDict": "collections.defaultdict",
    "typing.OrderedDict": "collections.OrderedDict",
}
for _table in (SEQUENCES, MAPPINGS):
    _table.update({origin: origin for origin in list(_table.values())})
_RENAMED = {
    "typing.Tuple": "builtins.tuple",
    "typing.Type": "builtins.type",
    "typing.Callable": "collections.abc.Callable",
    "typing.Iterable": "collections.abc.Iterable",
    "typing.Iterator": "collections.abc.Iterator",
    "typing.Generator": "collections.abc.Generator",
    "typing.AsyncIterable": "collections.abc.AsyncIterable",
    "typing.AsyncIterator": "collections.abc.AsyncIterator",
    "typing.AsyncGenerator": "collections.abc.AsyncGenerator",
    "typing.Awaitable": "collections.abc.Awaitable",
    "typing.Coroutine": "collections.abc.Coroutine",
    # Modules in which the classes really are, against the place they are imported from.
    "torch._tensor.Tensor": "torch.Tensor",
    "torch.nn.parameter.Parameter": "torch.nn.Parameter",
    "torch.nn.parameter.Buffer": "torch.nn.Buffer",
    "torch.nn.modules.module.Module": "torch.nn.Module",
}
_RENAMED.update(SEQUENCES)
_RENAMED.update(MAPPINGS)
BUILTINS = frozenset(
    {
        "bool", "bytearray", "bytes", "complex", "dict", "float", "frozenset", "int", "list", "object", "range", "set",
        "slice", "str", "tuple", "type",
    }
)  # fmt: skip
# jaxtyping turns `Float[float, "..."]` into plain `float`.
SCALARS = {
    "builtins.bool": "bool",
    "builtins.int": "int",
    "builtins.float": "float",
    "builtins.complex": "complex",
    "numpy.bool": "bool",
    "numpy.bool_": "bool",
    "numpy.generic": "",
    "numpy.number": "",
}


def canonical(name: str) -> str:
    """One name for the several that the standard library and torch give to one type."""
    if name.startswith("typing_extensions."):
        name = "typing." + name[18:]
    return _RENAMED.get(name, name)
