"""The reader of the suites is itself held to a small file."""

import pytest

from tests.mdtest.blocks import PRELUDE, Expectation, blocks

TEXT = """\
# Suite

## First

```python
a = b + c  # error: [SC203] "T vs S"
# error: [SC201]
# error: [SC301] "moves"
return d  # error: [SC302]
```

```text
a = b  # error: [SC203]
```

## Second

### Nested

```python
# file: one.py
import torch
reveal_shape(x)  # shape: B  T D
# file: pkg/two.py

y = 1
```
"""


@pytest.fixture
def parsed(tmp_path):
    path = tmp_path / "suite.md"
    path.write_text(TEXT)
    return blocks(path)


def test_headings_name_the_blocks_and_other_fences_are_left_alone(parsed):
    assert [block.title for block in parsed] == ["First", "Second - Nested"]


def test_expectations_stand_on_their_line_or_above_it(parsed):
    [file] = parsed[0].files
    skipped = PRELUDE.count("\n")
    assert file.expectations() == [
        Expectation("block.py", skipped + 1, "SC203", "T vs S"),
        Expectation("block.py", skipped + 4, "SC201", ""),
        Expectation("block.py", skipped + 4, "SC301", "moves"),
        Expectation("block.py", skipped + 4, "SC302", ""),
    ]


def test_rows_map_back_to_the_markdown_file(parsed):
    lines = TEXT.splitlines()
    for block in parsed:
        for file in block.files:
            own = file.text.removeprefix(PRELUDE)
            skipped = file.text.count("\n") - own.count("\n")
            for row, line in enumerate(own.splitlines(), skipped + 1):
                assert lines[file.offset + row - 1] == line


def test_a_block_may_hold_several_files(parsed):
    one, two = parsed[1].files
    assert (one.name, two.name) == ("one.py", "pkg/two.py")
    assert one.text == "import torch\nreveal_shape(x)  # shape: B  T D\n"
    assert two.text == PRELUDE + "\ny = 1\n"


def test_shapes_are_compared_by_token():
    expected = Expectation("m.py", 1, "SC000", "B  T D")
    assert expected.met_by("SC000", "B T D")
    assert not expected.met_by("SC000", "B D T")
    assert not expected.met_by("SC203", "B T D")
    assert Expectation("m.py", 1, "SC203", "T vs S").met_by("SC203", "axis 1: T vs S")


def test_an_expectation_of_nothing_is_a_mistake(tmp_path):
    path = tmp_path / "suite.md"
    path.write_text("```python\nx = 1\n# error: [SC203]\n```\n")
    [block] = blocks(path)
    with pytest.raises(ValueError, match="after the last line"):
        block.files[0].expectations()
