"""A small OpenID Connect provider on a port of its own: it signs what the test tells it to."""

import base64
import hashlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from django.test import Client

CLIENT, SECRET = "greywind-of-the-test", "a secret of the test"
ALL = "openid profile email"


def fresh_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


KEY = fresh_key()


class Provider:
    """What the provider says: `claims` of the person, `told` by its user info, and how its tokens are spoilt."""

    def __init__(self) -> None:
        self.claims: dict[str, Any] = {"sub": "person-1", "preferred_username": "somebody"}
        self.told: dict[str, Any] = {}
        self.key: Any = KEY
        self.algorithm = "RS256"
        self.spoilt: dict[str, Any] = {}
        self.discovery: dict[str, Any] = {}
        self.challenges: dict[str, str] = {}
        self.issuer = ""

    def answer(self, path: str, form: dict[str, list[str]]) -> tuple[int, Any]:
        match path:
            case "/.well-known/openid-configuration":
                return 200, self._configuration() | self.discovery
            case "/keys":
                shown = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key()))
                return 200, {"keys": [shown | {"kid": "one", "use": "sig", "alg": "RS256"}]}
            case "/token":
                return self._token(form)
            case "/me":
                return 200, {"sub": self.claims["sub"]} | self.told
        return 404, {}

    def _configuration(self) -> dict[str, Any]:
        ends = {"authorization_endpoint": "authorize", "token_endpoint": "token", "userinfo_endpoint": "me"}
        made = {name: f"{self.issuer}/{end}" for name, end in (ends | {"jwks_uri": "keys"}).items()}
        return made | {"issuer": self.issuer, "token_endpoint_auth_methods_supported": ["client_secret_post"]}

    def _token(self, form: dict[str, list[str]]) -> tuple[int, Any]:
        proof = hashlib.sha256(form.get("code_verifier", [""])[0].encode()).digest()
        challenge = base64.urlsafe_b64encode(proof).decode().rstrip("=")
        known = form.get("client_secret") == [SECRET] and form.get("client_id") == [CLIENT]
        if not known or self.challenges.pop(form["code"][0], None) != challenge:
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        said = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 60} | self.claims | self.spoilt
        token = jwt.encode(said, self.key, algorithm=self.algorithm, headers={"kid": "one"})
        return 200, {"access_token": "opaque", "token_type": "Bearer", "id_token": token}


@contextmanager
def running(provider: Provider) -> Iterator[Provider]:
    """Serve it on this machine's own address."""

    class Door(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._say(*provider.answer(urlsplit(self.path).path, {}))

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self._say(*provider.answer(self.path, parse_qs(body)))

        def log_message(self, *_: Any) -> None:
            """Keep quiet."""

        def _say(self, status: int, what: Any) -> None:
            body = json.dumps(what).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
    provider.issuer = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield provider
    server.shutdown()
    server.server_close()
    thread.join()


def asked(page: bytes) -> dict[str, str]:
    """What the page that goes on to the provider asks it for."""
    there = unescape(page.decode()).split('content="0; url=')[1].split('"')[0]
    return {name: values[0] for name, values in parse_qs(urlsplit(there).query).items()}


def come_back(provider: Provider, client: Client, page: bytes, **more: str):
    """Let the person agree at the provider, and follow them back."""
    wanted = asked(page)
    provider.challenges["code-1"] = wanted["code_challenge"]
    back = {"code": "code-1", "state": wanted["state"]} | more
    return client.get("/sign-in/provider/callback", {name: value for name, value in back.items() if value})
