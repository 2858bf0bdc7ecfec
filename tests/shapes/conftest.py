"""Each test decides in a context of its own."""

import pytest

from shapecheck.shapes import Context, use


@pytest.fixture(autouse=True)
def context():
    fresh = Context()
    previous = use(fresh)
    yield fresh
    use(previous)
