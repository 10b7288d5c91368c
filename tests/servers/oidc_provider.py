"""An OpenID Connect provider on this machine (Core 1.0, code flow): who comes is signed in at once as the person that the test names."""

from __future__ import annotations

import base64
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT = "workbench"
CLIENT_SECRET = "only-for-tests"


class Provider:
    """Its address, and the claims about who signs in next."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.claims: dict[str, Any] = {}
        self.key = RSAKey.generate_key(2048, {"kid": "test"}, private=True)
        self.nonces: dict[str, str | None] = {}

    def id_token(self, code: str) -> str:
        """What the code buys, once."""
        now = int(time.time())
        nonce = self.nonces.pop(code)
        claims = {"iss": self.address, "aud": CLIENT, "sub": "1", "iat": now, "exp": now + 3600} | self.claims
        return jwt.encode({"alg": "RS256", "kid": "test"}, claims | ({"nonce": nonce} if nonce else {}), self.key)

    def secrets_file(self, folder: Path, workbench: str) -> Path:
        """Streamlit's secrets for the workbench at ``workbench``."""
        path = folder / "secrets.toml"
        path.write_text(
            f"""[auth]
redirect_uri = "{workbench}/oauth2callback"
cookie_secret = "{secrets.token_hex(32)}"
client_id = "{CLIENT}"
client_secret = "{CLIENT_SECRET}"
server_metadata_url = "{self.address}/.well-known/openid-configuration"
""",
            encoding="utf-8",
        )
        return path


@contextmanager
def running_provider() -> Iterator[Provider]:
    """A provider that runs as long as the block."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    provider = Provider(f"http://127.0.0.1:{server.server_address[1]}")
    server.RequestHandlerClass = _handler_of(provider)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()


def _handler_of(provider: Provider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            asked = urlsplit(self.path)
            if asked.path == "/.well-known/openid-configuration":
                self._json(_metadata(provider.address))
            elif asked.path == "/keys":
                self._json({"keys": [provider.key.as_dict(private=False) | {"use": "sig", "alg": "RS256"}]})
            elif asked.path == "/authorize":
                self._authorize({name: values[0] for name, values in parse_qs(asked.query).items()})
            else:
                self.send_error(404)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            form = {name: values[0] for name, values in parse_qs(body).items()}
            given = base64.b64decode(self.headers.get("Authorization", "").removeprefix("Basic ")).decode()
            known = given == f"{CLIENT}:{CLIENT_SECRET}" or form.get("client_secret") == CLIENT_SECRET
            if not known or form.get("code") not in provider.nonces:
                self.send_error(400)
                return
            token = {"access_token": secrets.token_hex(8), "token_type": "Bearer", "expires_in": 3600}
            self._json(token | {"id_token": provider.id_token(form["code"])})

        def _authorize(self, asked: dict[str, str]) -> None:
            code = secrets.token_hex(16)
            provider.nonces[code] = asked.get("nonce")
            self.send_response(302)
            self.send_header("Location", asked["redirect_uri"] + "?" + urlencode({"code": code, "state": asked["state"]}))
            self.end_headers()

        def _json(self, answer: dict[str, Any]) -> None:
            body = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler


def _metadata(address: str) -> dict[str, Any]:
    return {
        "issuer": address,
        "authorization_endpoint": f"{address}/authorize",
        "token_endpoint": f"{address}/token",
        "jwks_uri": f"{address}/keys",
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["RS256"],
        "scopes_supported": ["openid", "email", "profile"],
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
    }
