"""`dims={"D": "d_model"}`: axis names tied to attributes, and ties that would do nothing."""

import dataclasses
import functools

import pytest
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from shapecheck import AnnotationUseError, ShapeError, install_import_hook, shapechecked

Z = torch.zeros


def test_names_are_tied_to_attributes():
    @shapechecked(dims={"D": "d_model", "V": "table.shape[0]"})
    class Model(nn.Module):
        def __init__(self, d_model: int, v: int):
            super().__init__()
            self.d_model = d_model
            self.table = nn.Parameter(torch.zeros(v, d_model))

        def forward(self, x: Float[Tensor, "B D"]) -> Float[Tensor, "B V"]:
            return x @ self.table.T

        def embed(self, i: Int[Tensor, "B"]) -> Float[Tensor, "B D"]:
            return self.table[i] if len(i) < 3 else self.table

    @shapechecked(dims={"E": "extra"})
    class More(Model):
        extra = 7

        def other(self, x: Float[Tensor, "D E"]) -> None:
            return None

    model = More(4, 6)
    assert model(torch.zeros(2, 4)).shape == (2, 6)
    model.other(torch.zeros(4, 7))
    with pytest.raises(ShapeError, match=r"D = 4 is self\.d_model"):
        model(torch.zeros(2, 5))
    with pytest.raises(ShapeError, match="expected 7"):
        model.other(torch.zeros(4, 6))
    with pytest.raises(ShapeError):
        model.embed(torch.zeros(3, dtype=torch.int64))
    with pytest.raises(TypeError, match="ties no axis"):
        shapechecked(dims={"2D": "d"})(type("C", (), {}))


class Attributes:
    def __init__(self, **attributes):
        self.__dict__.update(attributes)


def refused(pattern):
    return pytest.raises(AnnotationUseError, match=pattern)


def test_an_axis_that_no_annotation_mentions_is_refused_at_decoration():
    def model():
        class Model(nn.Module):
            weight: Float[Tensor, "D E"]

            def forward(self, x: Float[Tensor, "B T"], *more: list[Float[Tensor, "N"]]) -> Float[Tensor, "B 2*T"]:
                h: Float[Tensor, "B H"] = x
                return h

            @property
            def name(self) -> str:
                return ""

        return Model

    with refused("dims of Model tie Q, which none of its annotations mentions; they have B, D, E, N, T"):
        shapechecked(dims={"B": "b", "Q": "q"})(model())
    for name in "BTDENH":
        shapechecked(dims={name: "size"})(model())
    with refused("dims of forward tie H"):

        @shapechecked(dims={"H": "n_heads"})
        def forward(self, x: Float[Tensor, "B T"]):
            return x

    with refused("dims of forward tie H, .*they have no names"):

        @shapechecked(dims={"H": "n_heads"})
        def forward(self, x: int):
            return x


def test_a_class_may_tie_names_for_its_subclasses():
    @shapechecked(dims={"D": "d_model"})
    class Base(Attributes):
        def count(self) -> int:
            return 0

    @shapechecked
    class Model(Base):
        def forward(self, x: Float[Tensor, "B D"]):
            return x

    model = Model(d_model=3)
    model.forward(Z(2, 3))
    with pytest.raises(ShapeError, match=r"D = 3 is self\.d_model"):
        model.forward(Z(2, 4))
    with refused(r"dims of Model tie D to self\.d_model, which is not there: .*no attribute 'd_model'"):
        Model(d=3)


def test_a_tie_for_inherited_methods_belongs_to_their_class():
    @shapechecked
    class Base:
        def forward(self, x: Float[Tensor, "B D"]):
            return x

    class Model(Base):
        d_model = 3

    with refused("dims of Model tie D, which only inherited methods mention; tie it on the class that defines them"):
        shapechecked(dims={"D": "d_model"})(Model)


def test_annotations_that_come_later_are_asked_when_an_object_is_made(monkeypatch):
    def model(dims):
        @shapechecked(dims=dims)
        class Model(Attributes):
            def forward(self, x: "Row"):
                return x

        return Model

    right, wrong = model({"D": "d"}), model({"Q": "d"})
    monkeypatch.setitem(globals(), "Row", Float[Tensor, "B D"])
    assert right(d=3).forward(Z(2, 3)).shape == (2, 3)
    with refused("dims of Model tie Q, which none of its annotations mentions; they have B, D"):
        wrong(d=3)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("d_modle", "is not there: .*no attribute 'd_modle'"),
        ("layers[2]", "is not there: list index out of range"),
        ("config['d']", "is not there: 'd'"),
        ("d_model[0]", "is not there: 'int' object is not subscriptable"),
        ("name", "is no size: it is of type str"),
        ("nothing", "is no size: it is None"),
    ],
)
def test_a_path_that_leads_nowhere_is_an_error_when_an_object_is_made(path, reason):
    @shapechecked(dims={"D": path})
    class Model(nn.Module):
        def __init__(self, d_model: int):
            super().__init__()
            self.d_model, self.layers, self.config, self.name, self.nothing = d_model, [1], {}, "model", None

        def forward(self, x: Float[Tensor, "D"]):
            return x

    with refused(reason) as caught:
        Model(3)
    assert str(caught.value).startswith(f"dims of Model tie D to self.{path}, which ")
    with pytest.raises(ShapeError, match="d_model is a str"):
        Model("3")


def test_a_subclass_may_set_the_attribute_later():
    @shapechecked(dims={"D": "d_model"})
    class Model(nn.Module):
        def forward(self, x: Float[Tensor, "D"]):
            return x

    class More(Model):
        def __init__(self, **attributes):
            super().__init__()
            self.__dict__.update(attributes)

    class Same(Model):
        pass

    assert More(d_model=2).forward(Z(2)).shape == (2,)
    with pytest.raises(ShapeError, match=r"D = 3 is self\.d_model"):
        More(d_model=3)(Z(2))
    with refused(r"dims of More tie D to self\.d_model, which is not there: 'More' object has no attribute 'd_model'"):
        More()(Z(2))
    for cls in (Model, Same):
        with refused("dims of Model tie D"):
            cls()


def test_a_property_that_is_not_ready_yet_is_asked_when_it_is_needed():
    @shapechecked(dims={"D": "width"})
    class Model(Attributes):
        @property
        def width(self) -> int:
            if not self.built:
                raise RuntimeError("not built yet")
            return 3

        def forward(self, x: Float[Tensor, "D"]):
            return x

    model = Model(built=False)
    with pytest.raises(RuntimeError, match="not built yet"):
        model.forward(Z(3))
    model.built = True
    with pytest.raises(ShapeError, match=r"D = 3 is self\.width"):
        model.forward(Z(2))


def test_without_a_constructor_the_first_call_tells():
    @shapechecked(dims={"D": "d_modle"})
    class Bare:
        def forward(self, x: Float[Tensor, "D"]):
            return x

        @property
        def weight(self) -> Float[Tensor, "D"]:
            return Z(2)

    with refused("dims of Bare tie D to self.d_modle"):
        Bare().forward(Z(2))
    with refused("dims of Bare tie D to self.d_modle"):
        _ = Bare().weight
    bare = Bare()
    bare.d_modle = 2
    assert bare.forward(bare.weight).shape == (2,)


def test_constructors_of_several_bases_cooperate():
    calls = []

    class Left(Attributes):
        def __init__(self, **attributes):
            calls.append("left")
            super().__init__(**attributes)

    @shapechecked(dims={"D": "d"})
    class Model(Left):
        def forward(self, x: Float[Tensor, "D"]):
            return x

    class Right(Left):
        def __init__(self, **attributes):
            calls.append("right")
            super().__init__(**attributes)

    class Both(Model, Right):
        pass

    both = Both(d=2)
    assert calls == ["right", "left"]
    assert both.forward(Z(2)).shape == (2,)


def test_dataclasses_and_methods_that_are_decorated_already():
    @shapechecked(dims={"D": "d"})
    @dataclasses.dataclass
    class Batch:
        d: int
        x: Float[Tensor, "B D"]

        @shapechecked
        def rows(self, i: Int[Tensor, "N"]) -> Float[Tensor, "N D"]:
            return self.x[i, : self.d]

        @functools.cached_property
        @shapechecked
        def first(self) -> Float[Tensor, "D"]:
            return self.x[0]

    assert Batch(2, Z(3, 4)).rows(torch.arange(2)).shape == (2, 2)
    with pytest.raises(ShapeError, match=r"D = 3 is self\.d"):
        _ = Batch(3, Z(3, 4)).first
    with pytest.raises(ShapeError, match=r"D = 5 is self\.d"):
        Batch(5, Z(3, 4)).rows(torch.arange(2))


def test_ties_hold_under_the_import_hook(tmp_path, monkeypatch):
    (tmp_path / "hooked_ties.py").write_text(
        """
from jaxtyping import Float
from numpy import ndarray
from shapecheck import shapechecked

@shapechecked(dims={"D": "d"})
class Model:
    def __init__(self, d: int):
        self.d = d

    def forward(self, x: Float[ndarray, "B D"]):
        return x
"""
    )
    monkeypatch.syspath_prepend(tmp_path)
    with install_import_hook("hooked_ties"):
        import hooked_ties
    with pytest.raises(ShapeError, match=r"D = 3 is self\.d"):
        hooked_ties.Model(3).forward(Z(2, 4).double().numpy())
