"""A table of L positions has nothing to say about position L."""


def check_length(T: int, L: int) -> None:
    """Raise ValueError when T tokens do not fit into a table of L positions."""
    if T > L:
        raise ValueError(f"T = {T} tokens, but the table holds only L = {L} positions")
