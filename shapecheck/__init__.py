"""Checks the axes of annotated tensors by name: without running the code, at call time, and in pytest."""
