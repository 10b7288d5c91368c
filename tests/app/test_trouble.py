"""A page that fails says what to do next and keeps the error's own words to the log."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from duocthu_core.storage.errors import StorageUnavailable


def failing(error: Exception) -> None:
    from pages.frame.trouble import tell

    assert tell(error)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (StorageUnavailable("connection to 10.0.0.7 refused for user duocthu"), "Không có gì bị mất. Hãy thử lại sau ít phút"),
        (KeyError("secret"), "Dữ liệu đã lưu còn nguyên. Hãy tải lại trang"),
    ],
)
def test_what_happened_and_what_to_do(error: Exception, told: str) -> None:
    at = AppTest.from_function(failing, args=(error,)).run()
    assert at.error[0].value.startswith(told)
    assert "duocthu" not in at.error[0].value
    assert "secret" not in at.error[0].value
