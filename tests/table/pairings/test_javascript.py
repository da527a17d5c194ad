"""JavaScript's literals as data, as TSH's Perl and other programs write them."""

from __future__ import annotations

import math

import pytest

from table.pairings.javascript import NotDataError, is_javascript, read_javascript


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ('{"a":undefined,"b":[undefined,1,undefined]}', {"a": None, "b": [None, 1, None]}),
        ("[,1,,2]", [None, 1, None, 2]),
        ("[1,2,]", [1, 2]),
        ('{"a":{"b":3,},}', {"a": {"b": 3}}),
        ("{}", {}),
        ("[]", []),
        ("[NaN,true,false,null]", [None, True, False, None]),
        ("[.5,-.5,+3,1e2]", [0.5, -0.5, 3, 100.0]),
        ("[1e400,-Infinity]", [math.inf, -math.inf]),
        ("/* a */ {a: 1, // b\n 'c': 2} // end", {"a": 1, "c": 2}),
        ('"[undefined,undefined], NaN // none"', "[undefined,undefined], NaN // none"),
        (r'"say \"hi\" \\ \/ A \x42 \ud83d\ude00"', 'say "hi" \\ / A B 😀'),
        ('"a tab\tand a line\\\nbreak"', "a tab\tand a line\nbreak"),
        ('"of Windows\\\r\nend"', "of Windows\nend"),
    ],
)
def test_what_stands_behind_newt_is_data(written, value):
    for before, after in (
        ("newt=", ";\n"),
        ("// by a tool\nconst newt = ", ""),
        ("\ufeffvar newt=", ";"),
    ):
        assert read_javascript(before + written + after) == value


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("newt={", "line 1: the file ends in mid-data"),
        ('newt={"a":\n[1,2', "line 2: the file ends in mid-data"),
        ('newt={"a" 1}', "line 1: a colon is missing behind 'a'"),
        ('newt=["a" "b"]', "line 1: a comma or ] is missing"),
        ("newt={};\nalert(1)", "line 2: something stands behind the end of the data"),
        ("newt=run()", "line 1: a value is missing"),
        ("newt=[" + "9" * 50 + "]", "is no data"),
        ('newt="\n"', "is no data"),
        ('newt="half \\ud83d"', "a text has half a character"),
        ("newt=" + "[" * 100_000, "more than 64 lists and objects"),
        ("a,b,c", "it does not begin with newt="),
    ],
)
def test_what_is_no_data_is_one_line_that_names_the_line(text, line):
    with pytest.raises(NotDataError) as caught:
        read_javascript(text)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_csv_is_no_javascript():
    assert is_javascript('\n/* x */ newt={"a":1}')
    assert is_javascript(' {"divisions":[]}')
    assert read_javascript("window.newt = {};") == read_javascript("globalThis.newt={}") == {}
    assert not is_javascript("sep=;\nround;table")
    assert not is_javascript("newt,table\n")
