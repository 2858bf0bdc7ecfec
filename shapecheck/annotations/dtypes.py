"""The dtype families of jaxtyping 0.3.11 (`jaxtyping/_array_types.py`): which dtype names each accepts.

Names are those of the framework's dtype without its module: `repr(torch.float32)` is "torch.float32", hence "float32".
`Float` holds every floating width including the 8-bit and 4-bit ones, `Int` only signed and `Integer` all integers,
`Num` everything but booleans, `Shaped` whatever there is.
"""

from __future__ import annotations

from shapecheck.annotations.spec import DtypeSpec

_BOOLS = ("bool", "bool_")
_UINTS = ("uint2", "uint4", "uint8", "uint16", "uint32", "uint64")
_INTS = ("int2", "int4", "int8", "int16", "int32", "int64")
_FLOAT8 = ("float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz")
_FLOATS = ("float4_e2m1fn", *_FLOAT8, "bfloat16", "float16", "float32", "float64")
_COMPLEXES = ("complex64", "complex128")

_FAMILIES: dict[str, tuple[str, ...] | None] = {
    "Bool": _BOOLS,
    "UInt": _UINTS,
    "Int": _INTS,
    "Integer": _UINTS + _INTS,
    "Float": _FLOATS,
    "Complex": _COMPLEXES,
    "Inexact": _FLOATS + _COMPLEXES,
    "Real": _FLOATS + _UINTS + _INTS,
    "Num": _UINTS + _INTS + _FLOATS + _COMPLEXES,
    "Shaped": None,
    "Key": ("prng_key",),
    "BFloat16": ("bfloat16",),
    "Float4e2m1fn": ("float4_e2m1fn",),
    "Float8e4m3b11fnuz": ("float8_e4m3b11fnuz",),
    "Float8e4m3fn": ("float8_e4m3fn",),
    "Float8e4m3fnuz": ("float8_e4m3fnuz",),
    "Float8e5m2": ("float8_e5m2",),
    "Float8e5m2fnuz": ("float8_e5m2fnuz",),
    "Float16": ("float16",),
    "Float32": ("float32",),
    "Float64": ("float64",),
    "Complex64": ("complex64",),
    "Complex128": ("complex128",),
}
for _name in _UINTS:
    _FAMILIES["UInt" + _name[4:]] = (_name,)
for _name in _INTS:
    _FAMILIES["Int" + _name[3:]] = (_name,)

DTYPES: dict[str, DtypeSpec] = {
    name: DtypeSpec(name, None if names is None else frozenset(names)) for name, names in _FAMILIES.items()
}
