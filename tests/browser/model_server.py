"""An OpenAI-compatible server that takes its time: it answers with one claim copied from the first block it is shown."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any


class ModelServer:
    """Serves ``/v1/chat/completions`` on a free port until its block ends."""

    def __init__(self, delay_s: float) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(delay_s))
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> ModelServer:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: BaseException | None, _where: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()


def _handler(delay_s: float) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            time.sleep(delay_s)
            body = json.dumps(_completion(asked), ensure_ascii=False).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Keeps the test's output quiet."""

    return Handler


def _completion(asked: dict[str, Any]) -> dict[str, Any]:
    reply = {"claims": [], "evidence_sufficient": False, "clarifying_question": "Bạn hỏi cho ai?", "quick_replies": []}
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": json.dumps(reply, ensure_ascii=False)}}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": asked["model"],
        "choices": [choice],
        "usage": {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20},
    }
