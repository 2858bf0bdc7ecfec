import re

import pytest

from shapecheck.rules.catalogue import (
    RULES,
    UnknownRuleError,
    codes_matching,
    codes_matching_any,
    codes_selected,
    default_codes,
    page,
)


def test_codes_and_names_are_stable_in_form_and_unique():
    for code, rule in RULES.items():
        assert rule.code == code
        assert re.fullmatch(r"SC[0-3]\d\d", code)
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.name)
        assert rule.summary
        assert not rule.summary.endswith(".")
        # The first digit tells how sure a finding is: SC1 and SC2 are proofs, SC3 are suspicions. SC209 would be of
        # the SC2 family if a name were a proof; SC102 and SC103 tell what an annotation leaves out, which is no error.
        if code > "SC1":
            warns = code > "SC3" or code in {"SC102", "SC103", "SC209"}
            assert rule.severity == ("warning" if warns else "error")
    assert len({rule.name for rule in RULES.values()}) == len(RULES)
    assert list(RULES) == sorted(RULES)


def test_selectors_name_codes():
    assert codes_matching("SC203") == codes_matching("operand-shape") == {"SC203"}
    assert codes_matching("sc20") == {code for code in RULES if code.startswith("SC20")}
    assert codes_matching("ALL") == set(RULES)
    assert codes_matching_any(["SC203", "rank"]) == {"SC203", "SC204"}
    assert codes_matching_any([]) == set()
    assert default_codes() <= set(RULES)


def test_the_beginning_of_a_code_turns_on_what_is_on_by_default():
    assert codes_selected(["SC1"]) == {"SC101"}
    assert codes_selected(["SC102", "two-orders"]) == {"SC102", "SC313"}
    assert codes_selected(["SC1", "SC103"]) == {"SC101", "SC103"}
    assert codes_selected(["all"]) == set(RULES)
    assert codes_selected(["sc102", " Two-Orders "]) == {"SC102", "SC313"}


@pytest.mark.parametrize("selector", ["", " ", "SC999", "shape", "operand"])
def test_a_selector_that_names_nothing_is_refused(selector):
    with pytest.raises(UnknownRuleError):
        codes_matching(selector)


def test_a_near_miss_is_suggested():
    with pytest.raises(UnknownRuleError, match="did you mean scrambled-reshape"):
        codes_matching("scrambled-reshapes")
    with pytest.raises(UnknownRuleError, match="did you mean SC312"):
        codes_matching("sc3122")
    with pytest.raises(UnknownRuleError, match="`shapecheck rule` lists them all"):
        codes_matching("zzz")


@pytest.mark.parametrize("code", RULES)
def test_a_page_reads_well_in_a_terminal(code):
    text = page(code)
    assert max(map(len, text.splitlines())) <= 120
    assert text.endswith("\n")
    assert "\t" not in text
