"""Reductions and operations along one axis."""
