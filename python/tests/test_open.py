"""Everything that a model can be read from."""

from __future__ import annotations

import functools
import http.server
import io
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import onnx
import pyarrow
import pytest

import calipers
from calipers._model import Source


def total(model: calipers.Model) -> int | None:
    return model.report().parameters.total


def test_every_source_gives_the_same_model(bert: Path) -> None:
    data = bert.read_bytes()
    expected = total(calipers.open(bert))
    assert expected is not None
    with bert.open("rb") as file:
        sources: list[Source] = [
            str(bert),
            data,
            bytearray(data),
            memoryview(data),
            memoryview(b"." + data)[1:],
            io.BytesIO(data),
            file,
            onnx.load(str(bert), load_external_data=False),
        ]
        for source in sources:
            assert total(calipers.open(source)) == expected


@pytest.fixture
def server(bert: Path) -> Iterator[str]:
    """The URL of a server with the folder of a model."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *arguments: object) -> None:
            pass

    handler = functools.partial(Handler, directory=str(bert.parent))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_urls_are_opened_and_shown_without_their_query(bert: Path, server: str) -> None:
    url = f"{server}/{bert.name}"
    model = calipers.open(f"{url}?signature=secret")
    assert model.name == url
    assert "secret" not in repr(model)
    assert total(model) == total(calipers.open(bert))
    with pytest.raises(calipers.ReadError, match="no such file on the server"):
        calipers.open(f"{url}.gone")
    table = calipers.scan([f"{url}?signature=secret"])
    assert pyarrow.table(table)["path"].to_pylist() == [url]


def test_bytes_are_shared_and_released(bert: Path) -> None:
    data = bert.read_bytes()
    before = sys.getrefcount(data)
    model = calipers.open(data)
    assert sys.getrefcount(data) > before
    view = calipers.open(memoryview(data))
    assert sys.getrefcount(data) > before + 1
    del model, view
    assert sys.getrefcount(data) == before


def test_a_buffer_that_changes_later_was_copied(bert: Path) -> None:
    data = bytearray(bert.read_bytes())
    model = calipers.open(data)
    expected = total(model)
    data[:] = bytes(len(data))
    assert total(model) == expected


def test_names(bert: Path, digits: calipers.Model) -> None:
    assert calipers.open(bert).name == str(bert)
    assert calipers.open(bert).report().model.file == bert.name
    with bert.open("rb") as file:
        assert calipers.open(file).report().model.file == bert.name
    assert calipers.open(bert.read_bytes(), name="x.onnx").report().model.file == "x.onnx"
    assert digits.report().model.file == "model.onnx"


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(calipers.ReadError, match="this is an HTML page"):
        calipers.open(b"<html>")
    with pytest.raises(TypeError, match="mode 'rb'"):
        calipers.open(io.StringIO("text"))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not 'int'"):
        calipers.open(17)  # type: ignore[arg-type]
    (tmp_path / "model.onnx").write_bytes(b"\x3a\x00")
    with pytest.raises(calipers.ReadError) as caught:
        calipers.open(tmp_path / "modl.onnx")
    assert str(caught.value) == f"cannot read {tmp_path}/modl.onnx: no such file"
    assert caught.value.hint == f"did you mean `{tmp_path}/model.onnx`?"
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.hint) == (str(caught.value), caught.value.hint)


def test_threads_share_a_model(bert: Path) -> None:
    model = calipers.open(bert)
    found: list[str] = []
    threads = [threading.Thread(target=lambda: found.append(model.report().to_json())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and len(set(found)) == 1


def test_threads_end_with_the_interpreter(tmp_path: Path) -> None:
    # Daemon threads that come back from a call then end inside it.
    script = (
        "import threading, time, calipers\n"
        "def run():\n"
        "    while True: calipers.demo().report()\n"
        "for _ in range(4): threading.Thread(target=run, daemon=True).start()\n"
        "time.sleep(0.3)\n"
    )
    for _ in range(3):
        subprocess.run([sys.executable, "-c", script], check=True, cwd=tmp_path, timeout=60)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT of one process")
def test_an_interrupt_ends_a_call() -> None:
    # A server that accepts connections and never answers.
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/model.onnx"
        timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        started = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            calipers.open(url)
        # The time-out is 30 seconds.
        assert time.monotonic() - started < 20


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_forked_processes_have_threads_and_connections_of_their_own(bert: Path, server: str) -> None:
    script = (
        "import multiprocessing, sys, calipers\n"
        "def reports(*_):\n"
        "    report = calipers.open(sys.argv[1]).report(weights=True, dims={'batch': 1})\n"
        "    return report.weights.elements, calipers.open(sys.argv[2]).report().parameters.total\n"
        "expected = reports()\n"
        "with multiprocessing.get_context('fork').Pool(2) as pool:\n"
        "    assert pool.map_async(reports, range(4)).get(timeout=60) == [expected] * 4\n"
    )
    ran = [sys.executable, "-W", "ignore", "-c", script, str(bert), f"{server}/{bert.name}"]
    subprocess.run(ran, check=True, timeout=120)
