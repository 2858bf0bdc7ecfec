"""Products and contractions."""
