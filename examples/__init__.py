"""A small character model, written so that every axis has a name and every name is checked."""
