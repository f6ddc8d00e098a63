#!/usr/bin/env python3
"""Rebuilds the architecture library from PyPI packages.

    scripts/library/build.py OUT [--environment DIR] [--reference architectures.jsonl.gz] [SOURCE...]

Installs the packages into a virtual environment, builds each network on the meta device (no weights
are downloaded or stored), records the shapes of its weights in execution order, and writes one table
per source to OUT, with `families.tsv`. A run continues where the last one stopped: results are kept in
the environment's `cache` folder. `--reference` adds networks that the installed versions cannot build.
"""

import argparse
import os
import subprocess
import sys
import venv

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGES = {
    "timm": ["timm"],
    "torchvision": ["torchvision"],
    "transformers": ["transformers", "timm"],
    "ultralytics": ["ultralytics"],
    "diffusers": ["diffusers", "transformers"],
    "keras": ["keras"],
    "open_clip": ["open_clip_torch"],
    # Source archives name the package that builds them.
    "packages": ["onnx", "hatchling", "setuptools", "wheel"],
    "paddle": ["transformers"],
    "published": ["transformers"],
}
VARIABLES = {"KERAS_BACKEND": "torch", "YOLO_OFFLINE": "true", "OMP_NUM_THREADS": "1"}


def _install(environment, sources):
    if not os.path.exists(os.path.join(environment, "bin", "python")):
        venv.create(environment, with_pip=True)
    wanted = sorted({"torch", "numpy"}.union(*(PACKAGES[source] for source in sources)))
    subprocess.run([os.path.join(environment, "bin", "pip"), "install", "-q", *wanted], check=True)


def main():
    """Installs, collects and writes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", help="folder of the tables")
    parser.add_argument("sources", nargs="*", help=f"sources to collect: {', '.join(PACKAGES)}")
    parser.add_argument("--environment", default="library-environment", help="folder of the virtual environment")
    parser.add_argument("--reference", help="list of shapes for networks that cannot be built")
    arguments = parser.parse_args()
    unknown = [source for source in arguments.sources if source not in PACKAGES]
    if unknown:
        parser.error(f"unknown source {unknown[0]}; choose from {', '.join(PACKAGES)}")
    sources = arguments.sources or list(PACKAGES)
    os.makedirs(arguments.out, exist_ok=True)
    environment = os.path.abspath(arguments.environment)
    _install(environment, sources)
    python = os.path.join(environment, "bin", "python")
    variables = {**os.environ, **VARIABLES, "LIBRARY_CACHE": os.path.join(environment, "cache"),
                 "YOLO_CONFIG_DIR": environment}
    for source in sources:
        print(f"collecting {source}", flush=True)
        # Files inside packages are read as they are; the others are built and kept in the cache.
        files = ["--cache", os.path.join(variables["LIBRARY_CACHE"], "packages")]
        out = [os.path.join(arguments.out, "packages.tsv"), *files] if source == "packages" else []
        subprocess.run([python, os.path.join(HERE, f"from_{source}.py"), *out], check=True, env=variables)
    reference = [arguments.reference] if arguments.reference else []
    subprocess.run([python, os.path.join(HERE, "tables.py"), arguments.out, *reference], check=True, env=variables)


if __name__ == "__main__":
    sys.exit(main())
