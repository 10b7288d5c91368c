"""Who may see what (spec 06, "Access")."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from duocthu_core.bootstrap import Services
from duocthu_core.settings import load_settings
from duocthu_core.storage.errors import StorageUnavailable
from pages.frame import access

SECRET = "a-secret-of-the-proxy"


@pytest.fixture(autouse=True)
def _services(services: Services) -> None:
    services.accounts.set_role("chu@example.vn", "admin", by="test")
    services.accounts.set_role("ds@example.vn", "reviewer", by="test")


def signed_in(at: AppTest, **claims: object) -> AppTest:
    at.user = {"is_logged_in": True, "email": "ds@example.vn", "iat": time.time()} | claims
    return at


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
    monkeypatch.setattr(access, "sign_in_is_configured", lambda: True)
    at = opened()
    at.user = {"is_logged_in": False}
    at.run()
    assert texts(at) == ["Hãy đăng nhập để dùng trang này."]
    assert [button.label for button in at.button] == ["Đăng nhập"]


def test_a_signed_in_person_has_the_role_of_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "sign_in_is_configured", lambda: True)
    assert texts(signed_in(opened("reviewer"), email="DS@example.vn").run()) == ["ds@example.vn:reviewer"]
    changing = signed_in(opened("engineer")).run()
    assert texts(changing) == []
    assert "chưa có quyền" in changing.error[0].value


@pytest.mark.parametrize(
    ("claims", "told"),
    [
        ({"email": "la@example.vn"}, r"la\@example\.vn chưa được cấp quyền"),
        ({"email_verified": False}, "không xác nhận địa chỉ e-mail"),
        ({"email": None}, "không xác nhận địa chỉ e-mail"),
    ],
)
def test_who_has_no_account_sees_nothing_and_may_leave(monkeypatch: pytest.MonkeyPatch, claims: dict[str, object], told: str) -> None:
    monkeypatch.setattr(access, "sign_in_is_configured", lambda: True)
    at = signed_in(opened(), **claims).run()
    assert texts(at) == []
    assert told in at.error[0].value
    assert [button.label for button in at.button] == ["Đăng xuất"]


def test_a_role_taken_away_is_gone_at_the_next_run(monkeypatch: pytest.MonkeyPatch, services: Services) -> None:
    monkeypatch.setattr(access, "sign_in_is_configured", lambda: True)
    at = signed_in(opened()).run()
    assert texts(at) == ["ds@example.vn:reviewer"]
    services.accounts.remove("ds@example.vn")
    assert texts(at.run()) == []


def test_a_sign_in_that_has_lasted_too_long_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "sign_in_is_configured", lambda: True)
    at = signed_in(opened(), iat=time.time() - 13 * 3600).run()
    assert texts(at) == ["Phiên đăng nhập đã hết hạn. Hãy đăng nhập lại; những gì đã lưu vẫn còn."]


def test_a_database_that_does_not_answer_lets_nobody_in(monkeypatch: pytest.MonkeyPatch, services: Services) -> None:
    class Down:
        def role_of(self, email: str) -> None:
            raise StorageUnavailable("down")

    monkeypatch.setattr(access, "sign_in_is_configured", lambda: True)
    monkeypatch.setattr("pages.frame.services.services", lambda: replace(services, accounts=Down()))
    at = signed_in(opened()).run()
    assert texts(at) == []
    assert "cơ sở dữ liệu" in at.error[0].value


@pytest.mark.parametrize(
    ("headers", "name"),
    [
        ({"X-Forwarded-Email": "DS@example.vn", access.PROXY_SECRET_HEADER: SECRET}, ["ds@example.vn:reviewer"]),
        ({"X-Forwarded-Email": "ds@example.vn", access.PROXY_SECRET_HEADER: SECRET + "x"}, []),
        ({"X-Forwarded-Email": "ds@example.vn"}, []),
        ({access.PROXY_SECRET_HEADER: SECRET}, []),
        ({"X-Forwarded-Email": "la@example.vn", access.PROXY_SECRET_HEADER: SECRET}, []),
    ],
)
def test_a_person_is_named_by_the_trusted_proxy_alone(
    monkeypatch: pytest.MonkeyPatch, services: Services, headers: dict[str, str], name: list[str]
) -> None:
    settings = load_settings(_env_file=None, DUOCTHU_PROXY_USER_HEADER="X-Forwarded-Email", DUOCTHU_PROXY_SECRET=SECRET)
    monkeypatch.setattr("pages.frame.services.services", lambda: replace(services, settings=settings))
    monkeypatch.setattr(access, "_headers", lambda: headers)
    at = opened().run()
    assert texts(at) == name
    assert len(at.error) == (not name)
