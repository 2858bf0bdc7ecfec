from shapecheck.axis_coverage import summary_lines
from shapecheck.runtime.observe import Coverage, Function, Observer


def observer(count):
    found = Observer()
    for number in range(count):
        found.functions.add(Function(f"pkg.m.f{number:02}", "/src/pkg/m.py", number))
    return found


def test_long_lists_are_cut_unless_asked_for():
    found = observer(12)
    lines = summary_lines(found, lambda _: True, "/src", all_of_it=False)
    assert lines[:3] == [
        "0 of 12 annotated functions called, 0 calls in all",
        "never called:",
        "  pkg.m.f00  pkg/m.py:0",
    ]
    assert lines[-1] == "  ... and 2 more; -v lists them"
    assert len(summary_lines(found, lambda _: True, "/src", all_of_it=True)) == 14


def test_other_packages_are_left_out():
    found = observer(1)
    other = Function("other.g.<locals>.h", "/elsewhere/other.py", 3)
    found.functions.add(other)
    found.seen[other] = Coverage(2, frozenset("ab"), frozenset())
    assert summary_lines(found, lambda name: name.startswith("other"), "/src", all_of_it=False) == [
        "1 of 1 annotated functions called, 2 calls in all",
        "always of equal size, so that exchanging them would pass:",
        "  a = b  in other.g.h  /elsewhere/other.py:3",
    ]


def test_nothing_to_complain_of_is_one_line():
    found = observer(1)
    found.seen[next(iter(found.functions))] = Coverage(1, frozenset("ab"), frozenset({("a", "b")}))
    assert summary_lines(found, lambda _: True, "/src", all_of_it=False) == [
        "1 of 1 annotated functions called, 1 call in all"
    ]
