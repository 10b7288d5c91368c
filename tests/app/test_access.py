"""Who may see what (spec 06, "Access")."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from pages.frame import access


def page(role: str) -> None:
    import streamlit as st

    from pages.frame.access import require

    user = require(role)  # type: ignore[arg-type]
    st.text(f"{user.name}:{user.role}")


def opened(role: str = "viewer") -> AppTest:
    return AppTest.from_function(page, args=(role,))


def texts(at: AppTest) -> list[str]:
    return [text.value for text in at.text]


def test_a_fresh_machine_has_one_local_user_who_may_do_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "served_to_this_machine", lambda: True)
    assert texts(opened("admin").run()) == ["local:admin"]


def test_without_sign_in_nobody_else_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "served_to_this_machine", lambda: False)
    at = opened().run()
    assert texts(at) == []
    assert "chưa cấu hình đăng nhập" in at.error[0].value


@pytest.mark.parametrize("local", [True, False])
def test_with_sign_in_configured_it_is_asked_before_the_page_runs(monkeypatch: pytest.MonkeyPatch, local: bool) -> None:
    monkeypatch.setattr(access, "served_to_this_machine", lambda: local)
    monkeypatch.setattr(access, "_sign_in_is_configured", lambda: True)
    at = opened()
    at.user = {"is_logged_in": False}
    at.run()
    assert texts(at) == ["Hãy đăng nhập để dùng trang này."]
    assert [button.label for button in at.button] == ["Đăng nhập"]


def test_a_signed_in_person_without_a_role_may_look_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "_sign_in_is_configured", lambda: True)
    looking = opened("viewer")
    looking.user = {"is_logged_in": True, "email": "ds@example.vn"}
    assert texts(looking.run()) == ["ds@example.vn:viewer"]
    changing = opened("engineer")
    changing.user = {"is_logged_in": True, "email": "ds@example.vn"}
    changing.run()
    assert texts(changing) == []
    assert "chưa có quyền" in changing.error[0].value


def test_roles_reach_upwards() -> None:
    assert access.User("a", "admin").may("reviewer")
    assert not access.User("r", "reviewer").may("engineer")
