"""Accounts and the audit log on their page (spec 06, "Access")."""

from __future__ import annotations

from duocthu_core.bootstrap import Services
from tests.app.conftest import Opening


def test_an_empty_page_says_what_to_do(open_page: Opening) -> None:
    at = open_page("admin.py")
    assert any("Chưa có tài khoản nào" in text.value for text in at.text)
    assert any("Chưa có dòng nào khớp" in text.value for text in at.text)
    assert "chưa cấu hình đăng nhập" in at.info[0].value


def test_an_account_is_saved_listed_and_written_into_the_log(open_page: Opening, services: Services) -> None:
    at = open_page("admin.py")
    at.text_input(key="admin_email").set_value("DS@benhvien.vn")
    at.selectbox(key="admin_role").set_value("reviewer")
    at.button[0].click().run()
    assert services.accounts.role_of("ds@benhvien.vn") == "reviewer"
    assert [(line.actor, line.action, line.target) for line in services.audit.recent()] == [("local", "account.set", "ds@benhvien.vn")]
    assert r"Đã lưu: ds\@benhvien\.vn là người duyệt." in [info.value for info in at.info], "no address is read as Markdown"
    assert at.text_input(key="admin_email").value == ""


def test_what_is_no_email_is_told_and_stays_typed(open_page: Opening, services: Services) -> None:
    at = open_page("admin.py")
    at.text_input(key="admin_email").set_value("=cmd")
    at.button[0].click().run()
    assert any("không phải địa chỉ e-mail" in info.value for info in at.info)
    assert at.text_input(key="admin_email").value == "=cmd"
    assert services.audit.count() == 0


def test_the_last_administrator_cannot_be_removed(open_page: Opening, services: Services) -> None:
    services.accounts.set_role("chu@benhvien.vn", "admin", by="test")
    at = open_page("admin.py")
    at.button(key="admin_remove_now").click().run()
    assert any("người quản trị cuối cùng" in info.value for info in at.info)
    assert services.accounts.role_of("chu@benhvien.vn") == "admin"


def test_the_log_is_narrowed_by_who_and_what(open_page: Opening, services: Services) -> None:
    services.audit.record("a@benhvien.vn", "ruleset.save", "r1")
    services.audit.record("b@benhvien.vn", "cache.prune")
    at = open_page("admin.py", action="ruleset.")
    shown = at.dataframe[-1].value
    assert list(shown["Việc"]) == ["ruleset.save"]
    assert any(text.value == "1 dòng" for text in at.text)


def test_what_was_typed_as_an_address_is_no_markup_in_the_answer(open_page: Opening) -> None:
    at = open_page("admin.py")
    at.text_input(key="admin_email").set_value(":red[**x**]")
    at.button[0].click().run()
    assert any(r"\:red\[\*\*x\*\*\]" in info.value for info in at.info)
