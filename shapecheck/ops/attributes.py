"""Attributes, queries and conversions of tensors."""
