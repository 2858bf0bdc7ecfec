"""Call-time checks: the decorator, the checkers it generates, the import hook and the error."""
