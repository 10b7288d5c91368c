"""The address is the state of a page: what it writes it reads again, and what nobody could have written is ignored."""

from __future__ import annotations

from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from duocthu_core.pipeline.trace import StageName
from pages.frame.address import Address, View

IDS = st.none() | st.from_regex(r"[A-Za-z0-9_.:-]{1,80}", fullmatch=True)
NUMBERS = st.none() | st.integers(min_value=1, max_value=999_999)
ADDRESSES = st.builds(
    Address,
    conversation=IDS,
    trace=IDS,
    turn=NUMBERS,
    stage=st.none() | st.sampled_from(get_args(StageName)),
    view=st.none() | st.sampled_from(get_args(View)),
    claim=NUMBERS,
)


@given(ADDRESSES)
def test_what_an_address_writes_it_reads_again(address: Address) -> None:
    assert Address.from_query(address.to_query()) == address


@given(st.dictionaries(st.sampled_from(list(Address.model_fields)), st.text()))
def test_any_query_is_read_without_an_error(query: dict[str, str]) -> None:
    read = Address.from_query(query)
    assert Address.from_query(read.to_query()) == read


def test_parts_that_make_no_sense_are_treated_as_missing() -> None:
    query = {"conversation": "../../etc/passwd", "turn": "0", "stage": "drop table", "view": "all", "claim": "-1", "other": "x"}
    assert Address.from_query(query) == Address()


def test_digits_of_another_script_are_no_number() -> None:
    assert Address.from_query({"turn": "٣", "claim": "2"}) == Address(claim=2)
