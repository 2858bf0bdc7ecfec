"""What concerns no tensor's shape: devices, generators, modes and flags of torch, and checks that return nothing."""

from __future__ import annotations

from shapecheck.ops.registry import op
from shapecheck.shapes import NONE, AnyValue, Number, Opaque, Shape, Tensor


@op(
    "torch.is_grad_enabled", "torch.is_inference_mode_enabled", "torch.is_autocast_enabled",
    "torch.compiler.is_compiling", "torch.cuda.is_available", "torch.cuda.is_bf16_supported",
    "torch.distributed.is_initialized", "torch.distributed.is_available", "torch.backends.mps.is_available",
    "torch.onnx.is_in_onnx_export", "torch.jit.is_scripting", "torch.jit.is_tracing",
)
def state_flag(*others: object) -> AnyValue:
    """A flag."""
    return Number("bool")


@op("torch.get_default_dtype")
def get_default_dtype() -> AnyValue:
    """The dtype of new tensors."""
    return Number("dtype float")


@op("torch.device", "torch.Generator", "torch.finfo", "torch.iinfo", "torch.manual_seed")
def state_object(*others: object, **options: object) -> AnyValue:
    """An object that has no shape."""
    return Opaque("state")


@op("torch.testing.assert_close")
def assert_close(actual: object, expected: object, **options: object) -> AnyValue:
    """``[*s], [*s] -> None``."""
    return NONE


@op("torch.nn.utils.clip_grad_norm_")
def clip_grad_norm(parameters: object, max_norm: object, *others: object, **options: object) -> AnyValue:
    """The norm before it was clipped: ``[]``."""
    return Tensor(Shape(()), "float")
