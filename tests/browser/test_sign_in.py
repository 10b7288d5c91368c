"""Sign-in against a provider on this machine: a stranger sees nothing, each role what its table says (spec 06, "Access")."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser

from duocthu_core.access.model import ROLES
from duocthu_core.settings import load_settings
from duocthu_core.storage.accounts import SqlAccountStore
from duocthu_core.storage.database import open_database
from tests.app import sample_traces as sample
from tests.browser.screen import Screen
from tests.browser.server import free_port, running_server
from tests.servers.oidc_provider import Provider, running_provider

PAGES = Path(__file__).resolve().parents[2] / "pages"
NEEDS_MORE = "Tài khoản này chưa có quyền"


def addresses() -> dict[str, str]:
    """Every page's address, and the role that its file asks for."""
    shell = (PAGES / "_shell.py").read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for page in re.findall(r"st\.Page\((.*?)\),\n", shell, re.DOTALL):
        file = re.search(r'HERE / "(\w+\.py)"', page)
        path = re.search(r'url_path="([\w-]+)"', page)
        assert file, page
        role = re.search(r'^(?:\w+ = )?require\("(\w+)"\)', (PAGES / file[1]).read_text(encoding="utf-8"), re.MULTILINE)
        assert role, f"{file[1]} asks for no role"
        found["/" + (path[1] if path else "")] = role[1]
    return found


@dataclass
class Hospital:
    """A workbench where people sign in, and the provider that they sign in with."""

    address: str
    provider: Provider
    browser: Browser

    def stranger(self, path: str) -> Screen:
        """A window of somebody who has not signed in."""
        return Screen(self.browser.new_context(viewport={"width": 1280, "height": 800}, locale="vi-VN"), self.address + path)

    def signed_in(self, email: str) -> Screen:
        """A window of somebody who has."""
        self.provider.claims = {"email": email, "email_verified": True}
        screen = self.stranger("/")
        screen.press("Đăng nhập")
        screen.page.wait_for_url(self.address + "/**")
        return screen


@pytest.fixture(scope="module")
def hospital(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hospital]:
    folder = tmp_path_factory.mktemp("hospital")
    port = free_port()
    accounts = SqlAccountStore(open_database(load_settings(_env_file=None, DUOCTHU_DATA_DIR=folder).effective_database_url))
    for role in ROLES:
        accounts.set_role(f"{role}@benhvien.vn", role, by="test")
    with running_provider() as provider:
        secrets = provider.secrets_file(folder, f"http://127.0.0.1:{port}")
        with running_server(folder, port=port, arguments=["--secrets.files", str(secrets)]) as address:
            yield Hospital(address, provider, chromium)


def test_a_stranger_s_deep_link_to_any_page_is_asked_to_sign_in_and_shows_nothing(hospital: Hospital) -> None:
    screen = hospital.stranger("/healthz")
    for path in [*addresses(), f"/?conversation={sample.CONVERSATION}&turn=2", "/luot?trace=tr-redflag"]:
        screen.page.goto(hospital.address + path)
        screen.sees("Hãy đăng nhập để dùng trang này.")
        words = screen.page.locator("body").inner_text()
        assert "paracetamol" not in words.lower(), path
        assert "Bộ minh hoạ" not in words, path
    screen.page.context.close()


@pytest.mark.parametrize("path", ["/v1/gather", "/v1/openapi.json", "/metrics", "/media/0123.csv", "/_stcore/upload_file/1/2"])
def test_a_stranger_s_request_to_any_route_is_refused(hospital: Hospital, path: str) -> None:
    for method in ("GET", "POST"):
        answer = httpx.request(method, hospital.address + path, json={})
        assert answer.status_code == 401
    assert httpx.get(hospital.address + "/healthz").status_code == 200


def test_browsers_are_told_to_load_and_send_nothing_foreign(hospital: Hospital) -> None:
    headers = httpx.get(hospital.address + "/").headers
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "default-src 'self'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("role", ROLES)
def test_each_role_opens_the_pages_of_its_table(hospital: Hospital, role: str) -> None:
    screen = hospital.signed_in(f"{role}@benhvien.vn")
    screen.sees("Hỏi thử")
    for path, needed in addresses().items():
        screen.page.goto(hospital.address + path)
        if ROLES.index(role) >= ROLES.index(needed):
            screen.sees("Mô hình ngoại tuyến")
            screen.does_not_see(NEEDS_MORE)
        else:
            screen.sees(NEEDS_MORE)
            screen.does_not_see("Mô hình ngoại tuyến")
    screen.page.context.close()


def test_who_signs_in_without_an_account_sees_nothing_and_may_sign_out(hospital: Hospital) -> None:
    screen = hospital.signed_in("la@benhvien.vn")
    screen.sees("la@benhvien.vn chưa được cấp quyền")
    screen.does_not_see("Mô hình ngoại tuyến")
    screen.press("Đăng xuất")
    screen.sees("Hãy đăng nhập để dùng trang này.")
    screen.page.context.close()


def test_a_person_is_named_and_can_sign_out(hospital: Hospital) -> None:
    screen = hospital.signed_in("reviewer@benhvien.vn")
    screen.press("Tài khoản")
    screen.sees("Đang đăng nhập: reviewer@benhvien.vn (người duyệt)")
    screen.press("Đăng xuất")
    screen.sees("Hãy đăng nhập để dùng trang này.")
    screen.page.context.close()
