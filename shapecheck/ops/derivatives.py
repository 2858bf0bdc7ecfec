"""Derivatives: `torch.autograd.grad`."""

from __future__ import annotations

from shapecheck.ops.registry import op
from shapecheck.shapes import AnyValue, Constant, Mismatch, Tensor, Unknown
from shapecheck.shapes import Sequence as Several


@op("torch.autograd.grad")
def grad(
    outputs: object,
    inputs: AnyValue,
    grad_outputs: object = None,
    *,
    retain_graph: object = None,
    create_graph: object = None,
    only_inputs: object = None,
    allow_unused: object = None,
    is_grads_batched: object = None,
    materialize_grads: object = None,
) -> AnyValue | Mismatch:
    """``output [], inputs [*a], [*b] -> ([*a], [*b])``: a gradient has the shape of its input."""
    if is_grads_batched is not None and is_grads_batched != Constant(False):
        return Unknown("gradients of a batch of outputs")
    given = inputs.items if isinstance(inputs, Several) else [inputs]
    tensors = [each for each in given if isinstance(each, Tensor)]
    if len(tensors) < len(given):
        return Unknown("the inputs of a gradient are not tensors")
    return Several([tensor.reshaped(tensor.shape) for tensor in tensors])
