"""Reading one object out of a reply: real models' habits are read, everything doubtful is refused with one kind of error."""

from __future__ import annotations

import contextlib
import json
import time

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


@pytest.mark.parametrize(
    "reply", ["{" * 1_000_000, '{"a":1}' * 140_000, "x" * 1_000_000, '{"a": "' + "y" * 900_000 + '"}', "[" * 1_000_000]
)
def test_a_megabyte_is_read_or_refused_at_once(reply):
    started = time.perf_counter()
    with contextlib.suppress(MalformedOutput):
        read_object(reply)
    assert time.perf_counter() - started < 1.0
