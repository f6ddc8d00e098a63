"""The command that the wheel installs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import calipers


def test_version_and_statuses(command: str, tmp_path: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([command, *arguments], capture_output=True, text=True)

    assert run("--version").stdout == f"calipers {calipers.__version__}\n"
    assert run("nothing.onnx").returncode == 1
    assert run("--nothing").returncode == 2
    assert run("demo", "-o", str(tmp_path / "demo")).returncode == 0
    model = str(tmp_path / "demo" / "model.onnx")
    assert run("check", model, "--fail-on", "info").returncode == 3
    redacted = run("inspect", str(tmp_path / "secret.onnx"), "--redact-names")
    assert "secret" not in redacted.stderr
    module = subprocess.run([sys.executable, "-m", "calipers", "--version"], capture_output=True, text=True)
    assert module.stdout == run("--version").stdout


def test_a_reader_that_went_away_is_no_error(command: str) -> None:
    ran = subprocess.run(f"set -o pipefail; {command} schema | head -1", shell=True, executable="/bin/bash")
    assert ran.returncode == 0


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_interrupts_end_the_command(command: str, tmp_path: Path) -> None:
    (tmp_path / "demo").mkdir()
    fifo = tmp_path / "out.json"
    os.mkfifo(fifo)
    model = tmp_path / "model.onnx"
    model.write_bytes(calipers._calipers.demo())
    # It waits for whoever reads the pipe.
    process = subprocess.Popen([command, "inspect", str(model), "-o", str(fifo)], stderr=subprocess.DEVNULL)
    time.sleep(1.5)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == -signal.SIGINT


def test_the_module_leaves_signals_alone() -> None:
    code = (
        "import signal; before = [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGBUS)];"
        "import calipers; calipers.demo().report();"
        "assert [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGBUS)] == before"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
