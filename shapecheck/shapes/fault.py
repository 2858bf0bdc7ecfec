"""What a rule returns when its operands do not fit: facts, never sentences."""

from __future__ import annotations

from enum import Enum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from shapecheck.dims import Dim
    from shapecheck.shapes.axis import Factor
    from shapecheck.shapes.shape import Shape


class Fault(Enum):
    """The kinds of fault; the value is the code of the rule that reports it."""

    def __new__(cls, code: str, name: str) -> Fault:  # noqa: PYI034 - Enum's own signature
        """Let two kinds share a code."""
        member = object.__new__(cls)
        member._value_ = name
        member.code = code
        return member

    code: str

    BROADCAST = "SC203", "broadcast"
    """Two aligned axes are unequal and neither is 1."""
    CONTRACTION = "SC203", "contraction"
    """The axes that are summed over have unequal sizes."""
    SIZE = "SC203", "size"
    """An axis is not as long as the operation or layer requires (``left`` is, ``right`` wanted)."""
    CONCAT = "SC203", "concat"
    """Tensors to join differ on an axis other than the joined one."""
    DTYPE = "SC208", "dtype"
    """An operand has the wrong dtype family (``detail`` wanted)."""
    DECLARED_DTYPE = "SC208", "declared-dtype"
    """A tensor is of another dtype family than is declared (``detail`` says what gets it, the declaration, and its)."""
    RANK = "SC204", "rank"
    """Another number of axes is required (``detail`` says which)."""
    AXIS_RANGE = "SC204", "axis-range"
    """The axis index does not exist."""
    TOO_MANY_INDICES = "SC204", "too-many-indices"
    """More indices than axes."""
    INDEX = "SC204", "index"
    """An index beyond the end of a tuple: ``left`` items, index ``right`` (``detail`` says of what)."""
    UNPACK = "SC204", "unpack"
    """A tuple is unpacked into another number of names (``detail``)."""
    RESHAPE = "SC205", "reshape"
    """Another number of elements: ``left`` has, ``right`` wanted, or a multiple of it where ``detail`` says so."""
    PATTERN = "SC207", "pattern"
    """The pattern is malformed (``detail``)."""
    PATTERN_RANK = "SC207", "pattern-rank"
    """The pattern has another number of axes than the operand."""
    PATTERN_SIZE = "SC207", "pattern-size"
    """One letter or name of the pattern has two sizes (``detail`` is the name)."""
    SCRAMBLED = "SC301", "scrambled"
    """A reshape whose target fits only after permuting: ``factors`` as they are, ``wanted`` as they would fit."""
    OUTER = "SC302", "outer"
    """One axis meets itself at two places of a broadcast."""
    CROSSED = "SC302", "crossed"
    """One place along ``left`` meets, in all pairs, one place along ``right`` of another tensor."""
    MISALIGNED = "SC303", "misaligned"
    """The axis ``left`` meets ``right``, which is not known, although the other operand has that axis elsewhere."""
    ROW = "SC303", "row"
    """One row of a table, at the place ``left``, is broadcast along the axis of that very size."""
    AXIS_ORDER = "SC304", "axis-order"
    """The names that a callee declares arrive in another order (``detail`` is the parameter)."""
    LAYER_AXIS = "SC304", "layer-axis"
    """A layer takes ``left`` features on an axis that is ``right``, and they stand on ``other_axis``."""
    NAMES_READ = "SC304", "names-read"
    """Sizes are read into the names of each other's axes (``detail``: of what, its declaration, ``name place; ..``)."""
    PATTERN_NAMES = "SC304", "pattern-names"
    """A pattern gives axes of ``left_shape`` the names of each other (``detail``: ``name place; ..``)."""
    FACTOR_ORDER = "SC305", "factor-order"
    """The factors of a merged axis meet the same factors in another order (``factors`` and ``wanted``)."""
    SOFTMAX_AXIS = "SC306", "softmax-axis"
    """A weighted sum runs over ``left``, but the weights were normalised along ``right``."""
    SOFTMAX_ONE = "SC306", "softmax-one"
    """A softmax over an axis of size 1."""
    PICK_AXIS = "SC306", "pick-axis"
    """One of ``left`` is picked for each of ``right``, along which the weights were normalised."""
    COMPARED = "SC306", "compared"
    """Weights are compared along ``left``, and were normalised along ``right``."""
    WEIGHTS_ALONE = "SC306", "weights-alone"
    """Weights are summed along ``left``, where they add up to 1, with nothing to weigh (``detail`` says how)."""
    ROW_MASK = "SC306", "row-mask"
    """A mask (``right_shape``) has no extent along ``left``, over which the softmax of the scores runs."""
    CLASS_AXIS = "SC306", "class-axis"
    """The axis ``left`` that a loss takes for the classes is one that the targets have as well."""
    FLAT_INDEX = "SC306", "flat-index"
    """An argmax without an axis is one flat index, and is compared with many (``left_shape``)."""
    BATCH_WIDTH = "SC307", "batch-width"
    """The width of a layer depends on the batch size ``left``, or is solved to be it (``detail`` is the parameter)."""
    BATCH_MEETS = "SC307", "batch-meets"
    """The batch axis ``left`` is lined up with the width ``right`` of a layer."""
    BATCH_TABLE = "SC307", "batch-table"
    """A table is cut to the batch size ``left`` and lined up with the batch axis."""
    BATCH_LEAK = "SC307", "batch-leak"
    """Samples of the batch axis ``left`` influence each other (``detail`` says how)."""
    BATCH_STEPS = "SC307", "batch-steps"
    """Samples of the batch axis ``left`` are taken for steps (``detail``: ``shift`` or ``flip``)."""
    BATCH_FIRST = "SC308", "batch-first"
    """A module gets the batch axis where it expects time (``detail`` is the repair's ``batch_first``)."""
    BATCH_LAST = "SC308", "batch-last"
    """The last of ``right`` is taken where a layer ran along ``left`` (``detail`` is the repair's ``batch_first``)."""
    SQUEEZE_BATCH = "SC309", "squeeze-batch"
    """``squeeze()`` also drops a batch of one; ``axis`` is the one meant."""
    DIAGONAL = "SC310", "diagonal"
    """A letter (``detail``) is repeated inside one operand and also meets another one."""
    NORM_AXIS = "SC311", "norm-axis"
    """Statistics over ``left``, affine parameters on ``right``."""
    UNIT_AXIS = "SC311", "unit-axis"
    """Vectors have length 1 along ``left``, and are compared along ``right``."""
    STANDARDISED = "SC311", "standardised"
    """A mean along ``left`` is taken away, and what is left is divided by a deviation along ``right`` (``detail``)."""
    SCAN_AXIS = "SC315", "scan-axis"
    """A running sum along ``right`` stands between two flips along ``left``."""
    CAUSAL_MASK = "SC312", "causal-mask"
    """The keys ``left`` that a mask leaves to each query are those that come after it."""
    INDEX_PARTS = "SC314", "index-parts"
    """A flat index along ``factors`` is taken apart by ``left``, although ``right`` is the inner size.

    ``detail`` tells what found the index, and how it is taken apart."""
    INDEX_STRIDE = "SC314", "index-stride"
    """In a flat index along ``factors`` the places along ``left`` are ``wanted`` steps apart instead of ``right``."""
    INDEX_OFFSET = "SC314", "index-offset"
    """Places along ``right``, one for each of ``left`` samples, on an axis (``factors``) that holds those of all."""
    INDEX_AXIS = "SC314", "index-axis"
    """Places along ``left`` are used on ``right`` (``detail`` tells what found them)."""
    INDEX_EXTENT = "SC314", "index-extent"
    """An index has one place on ``left``, which is not the gathered axis, ``right``: the others are left out.

    ``detail`` tells what does it, and whether the index has its places where the 1 should be."""
    RANK_AXIS = "SC314", "rank-axis"
    """One of ``left`` is picked for each of ``right``, along which the values were sorted."""
    GRID_ORDER = "SC314", "grid-order"
    """The first coordinate of a sampling grid runs along ``left``, and is used on ``right``."""
    GRID_SCALE = "SC314", "grid-scale"
    """Places along ``left`` are divided by the size of ``right`` (``detail``: and the other way round)."""
    COUNTED_TWICE = "SC316", "counted-twice"
    """A total of ``left_shape`` is divided by ``factors``: by ``left`` once too often, and never by ``right``."""
    COUNTED_OTHER = "SC316", "counted-other"
    """Sums over ``right`` (``other_axis``) are divided by ``factors``, with ``left`` (``axis``) that was not summed."""


class Mismatch:
    """Why an operation does not fit. Immutable.

    ``axis`` is torch's axis number in ``left_shape``, ``other_axis`` in ``right_shape``; ``detail`` completes the kind.
    """

    __slots__ = (
        "kind", "axis", "left", "right", "left_shape", "right_shape", "other_axis", "detail", "because", "factors",
        "wanted", "operation", "place",
    )  # fmt: skip

    def __init__(
        self,
        kind: Fault,
        axis: int | None = None,
        left: Dim | None = None,
        right: Dim | None = None,
        left_shape: Shape | None = None,
        right_shape: Shape | None = None,
        other_axis: int | None = None,
        detail: str = "",
        because: str = "",
        factors: tuple[Factor, ...] = (),
        wanted: tuple[tuple[Factor, ...], ...] = (),
        operation: str = "",
        place: object = None,
    ) -> None:
        self.kind = kind
        self.axis = axis
        self.left = left
        self.right = right
        self.left_shape = left_shape
        self.right_shape = right_shape
        self.other_axis = other_axis
        self.detail = detail
        self.because = because
        self.factors = factors
        self.wanted = wanted
        self.operation = operation
        self.place = place
        """Where the cause stands, if not where the fault shows."""

    def replace(self, **changes: Any) -> Mismatch:
        """The same mismatch with some fields changed; it is decided then."""
        return Mismatch(**({field: getattr(self, field) for field in Mismatch.__slots__} | changes))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mismatch) and all(
            getattr(self, field) == getattr(other, field) for field in self.__slots__
        )

    def __hash__(self) -> int:
        return hash(tuple([getattr(self, field) for field in self.__slots__]))

    def __repr__(self) -> str:
        fields = [
            f"{field}={getattr(self, field)!r}"
            for field in Mismatch.__slots__
            if getattr(self, field) not in {None, "", ()}
        ]
        return f"Mismatch({', '.join(fields)})"


class Undecided(Mismatch):
    """A mismatch of which what follows tells whether it is one: it is, unless it is ``excused`` and never ``faulty``.

    Each is one of its own, whatever it says.
    """

    __slots__ = ("excused", "faulty")

    def __init__(self, **fields: Any) -> None:
        super().__init__(**fields)
        self.excused = False
        self.faulty = False

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)


class Scrambled(Undecided):
    """A scrambled reshape, excused where the ``pieces`` that it made go back together as they were.

    ``lying`` are the factors that the elements of these pieces really have, in the order of memory.
    """

    __slots__ = ("lying", "pieces")

    def __init__(self, pieces: tuple[Factor, ...], lying: tuple[Factor, ...], **fields: Any) -> None:
        super().__init__(**fields)
        self.pieces = pieces
        self.lying = lying
