"""New tensors."""
