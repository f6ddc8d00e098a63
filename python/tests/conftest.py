"""Models and the command, for every test."""

from __future__ import annotations

import shutil
import sysconfig
from pathlib import Path

import pytest

import calipers

ROOT = Path(__file__).resolve().parents[2]
ZOO = ROOT / "tests" / "fixtures" / "zoo"


@pytest.fixture
def digits() -> calipers.Model:
    return calipers.demo()


@pytest.fixture
def bert() -> Path:
    return ZOO / "bert_tiny_cls_op17.onnx"


@pytest.fixture(scope="session")
def command() -> str:
    """The command that the wheel installs."""
    found = shutil.which("calipers", path=sysconfig.get_path("scripts"))
    assert found is not None
    return found
