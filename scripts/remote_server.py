"""A server on this machine that sends ranges of files, slowly and with faults.

    server = RangeServer(folder, latency=0.05, bandwidth=12_500_000)
    with server: print(server.url)

`certificate` is a PEM file with a certificate and its key, for https.

The first part of a path chooses a fault: /plain/model.onnx, /no-ranges/model.onnx, … as in FAULTS.
"""

import http.server
import pathlib
import re
import ssl
import sys
import threading
import time
import urllib.parse

FAULTS = """plain no-ranges truncated always-truncated unavailable always-unavailable changing denied redirect
redirect-loop elsewhere stall secret wrong-range garbage""".split()


class Link:
    """A link of a bandwidth that all connections share."""

    def __init__(self, bandwidth):
        self.bandwidth = bandwidth
        self.free_at = 0.0
        self.lock = threading.Lock()

    def pass_on(self, size):
        if not self.bandwidth:
            return
        with self.lock:
            now = time.monotonic()
            self.free_at = max(self.free_at, now) + size / self.bandwidth
            wait = self.free_at - now
        time.sleep(max(0.0, wait))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Small answers are not held back.
    disable_nagle_algorithm = True
    wbufsize = 1 << 16

    def log_message(self, *arguments):
        pass

    def setup(self):
        super().setup()
        # A new connection takes one round trip before its first request.
        time.sleep(self.server.owner.latency)

    def do_HEAD(self):
        self.answer(body=False)

    def do_GET(self):
        self.answer(body=True)

    def answer(self, body):
        owner = self.server.owner
        time.sleep(owner.latency)
        path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
        fault, _, name = path.lstrip("/").partition("/")
        with owner.lock:
            owner.requests += 1
            count = owner.counts[path] = owner.counts.get(path, 0) + 1
            owner.seen.append((self.command, self.path, self.headers))
        file = owner.folder / name
        if fault not in FAULTS or not file.is_file():
            return self.refuse(404)
        if fault == "denied" or fault == "secret" and self.headers.get("Authorization") != "Basic bWU6c2VjcmV0":
            return self.refuse(403)
        if fault == "redirect":
            return self.redirect(f"/plain/{name}")
        if fault == "elsewhere":
            return self.redirect(f"{owner.elsewhere}/plain/{name}")
        if fault == "redirect-loop":
            return self.redirect(self.path)
        if fault == "always-unavailable" or fault == "unavailable" and count % 3:
            return self.refuse(503)
        if fault == "stall":
            time.sleep(owner.stall)
        if fault == "garbage":
            self.wfile.write(b"\x00\x01 this is not HTTP\r\n\r\n")
            self.close_connection = True
            return None
        size = file.stat().st_size
        start, end, status = 0, size, 200
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if asked and fault != "no-ranges":
            start, end, status = int(asked[1]), min(int(asked[2]) + 1, size), 206
            if start >= size:
                return self.refuse(416)
        self.send_response(status)
        self.send_header("Content-Length", str(end - start))
        etag = count if fault == "changing" else file.stat().st_mtime_ns
        self.send_header("ETag", f'"{etag:x}"')
        if status == 206:
            first = start + 1 if fault == "wrong-range" else start
            self.send_header("Content-Range", f"bytes {first}-{end - 1}/{size}")
        self.end_headers()
        if not body:
            return None
        if fault == "always-truncated" or fault == "truncated" and count % 2:
            end = start + (end - start) // 2
            self.close_connection = True
        with file.open("rb") as source:
            source.seek(start)
            left = end - start
            while left > 0:
                piece = source.read(min(left, 1 << 14))
                if not piece:
                    break
                owner.link.pass_on(len(piece))
                with owner.lock:
                    owner.sent += len(piece)
                try:
                    self.wfile.write(piece)
                except OSError:
                    self.close_connection = True
                    return None
                left -= len(piece)
        return None

    def refuse(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def redirect(self, place):
        self.send_response(302)
        self.send_header("Location", place)
        self.send_header("Content-Length", "0")
        self.end_headers()


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request, client_address):
        # A client that does not trust the certificate goes away.
        if not isinstance(sys.exc_info()[1], ssl.SSLError):
            super().handle_error(request, client_address)


class RangeServer:
    def __init__(self, folder, latency=0.0, bandwidth=None, stall=30.0, certificate=None):
        self.folder, self.latency, self.stall = pathlib.Path(folder), latency, stall
        self.link = Link(bandwidth)
        # The server that "elsewhere" redirects to.
        self.elsewhere = None
        self.lock = threading.Lock()
        self.clear()
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.owner = self
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.url = f"http{'s' if certificate else ''}://127.0.0.1:{self.server.server_address[1]}"

    def clear(self):
        self.requests, self.sent, self.counts, self.seen = 0, 0, {}, []

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *reason):
        self.server.shutdown()
        self.server.server_close()
