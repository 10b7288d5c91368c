"""Reading one object out of a reply: real models' habits are read, everything doubtful is refused with one kind of error."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duocthu_core.answering.json_reply import MalformedOutput, read_object

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize(
    "reply",
    [
        '{"a": 1}',
        '  \n{"a": 1}\n',
        '```json\n{"a": 1}\n```',
        'Đây là kết quả:\n```\n{"a": 1}\n```\nHy vọng có ích.',
        'Theo khối [1], kết quả là {"a": 1}',
        '\ufeff{"a": 1}',
    ],
)
def test_one_object_is_read_in_a_fence_or_among_prose(reply):
    assert read_object(reply) == {"a": 1}


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("", "no JSON object"),
        ("Xin lỗi, tôi không thể trả lời.", "no JSON object"),
        ("null", "no JSON object"),
        ("[1, 2]", "no JSON object"),
        ('[{"a": 1}]', "list"),
        ('[{"a": 1}, 2]', "list"),
        ('{"a": 1}{"a": 2}', "more than one"),
        ('{"a": 1}\n\n{"a": 1}', "more than one"),
        ('Ví dụ {x}: {"a": 1}', "no valid JSON"),
        ('{"a": 1}}', "more than one"),
        ('{"a": 1', "no valid JSON"),
        ('{"verdicts":[{"index":1,"stance":"supp', "no valid JSON"),
        ('{"a": {"b": 1}', "no valid JSON"),
        ('{"a": 1, "a": 2}', "twice"),
        ('{"x": {"a": 1, "b": 2, "a": 1}}', "twice"),
        ('{"a": NaN}', "NaN"),
        ('{"a": -Infinity}', "Infinity"),
        ("{'a': 1}", "no valid JSON"),
        ('{"a": 1,}', "no valid JSON"),
        ('{"a": "dòng\nmới"}', "no valid JSON"),
        ('{"a": "\\ud800"}', "surrogate"),
        ('{"\\udfff": 1}', "surrogate"),
        ('{"a": "\ud800"}', "surrogate"),
        ('{"a": ' + "9" * 5000 + "}", "no valid JSON"),
        ('{"a":' * 100_000, "nested"),
        ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested"),
    ],
)
def test_everything_else_is_malformed_and_says_why(reply, why):
    with pytest.raises(MalformedOutput, match=why):
        read_object(reply)


def test_a_reply_cut_off_at_the_limit_is_malformed_even_where_it_parses():
    with pytest.raises(MalformedOutput, match="cut off"):
        read_object('{"a": 1}', "max_tokens")


@given(st.dictionaries(st.text(max_size=8), JSON, max_size=5))
def test_any_object_comes_back_as_it_was_written(content):
    assert read_object("```json\n" + json.dumps(content, ensure_ascii=False) + "\n```") == content


@given(st.text(alphabet='{}[]",:\\0123456789eE.-+truefalsnu \n\ud800aN', max_size=60))
def test_no_reply_raises_anything_but_malformed_output(reply):
    with contextlib.suppress(MalformedOutput):
        assert isinstance(read_object(reply), dict)


def test_a_megabyte_is_read():
    assert read_object('{"a": "' + "y" * 900_000 + '"}') == {"a": "y" * 900_000}
    assert len(read_object("{" + ", ".join(f'"{number}": 1' for number in range(80_000)) + "}")) == 80_000


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("{" * 1_000_000, "no valid JSON"),
        ('{"a":1}' * 140_000, "more than one"),
        ("x" * 1_000_000, "no JSON object"),
        ("[" * 1_000_000, "no JSON object"),
        ("{" + ", ".join(f'"{number}": 1' for number in range(80_000)) + ', "79999": 2}', "'79999' is given twice"),
        ('{"a": "' + "y" * 1_000_000 + '"}', "at most 1000000"),
    ],
    ids=["braces", "objects", "no brace", "brackets", "a key of many again", "too long"],
)
def test_a_megabyte_without_one_object_is_refused_for_its_reason(reply, why):
    with pytest.raises(MalformedOutput, match=why):
        read_object(reply)
