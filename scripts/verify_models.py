"""Executes every model through `calipers verify` and counts values that are as inferred.

usage: verify_models.py CALIPERS VENV
"""
import glob
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

CALIPERS, VENV = sys.argv[1:]
CORPUS = os.environ.get("CALIPERS_SHARED", "../shared")

# What a runtime may refuse, and why that is not a defect of Calipers.
REFUSALS = {
    "is not a registered function/op": "an operator that ONNX Runtime does not have",
    "This is an invalid model": "an operator that ONNX Runtime does not have",
    "EPContext node": "compiled for another execution provider",
    "does not match expected type": "the file declares a wrong type",
    "Failed to construct locale": "the machine lacks the locale",
    "at most 8 GB are synthesized": "weights that are too large to make up",
}


def models():
    found = glob.glob("tests/fixtures/zoo/*.onnx")
    if os.path.isdir(f"{CORPUS}/models"):
        names = {os.path.basename(path) for path in found}
        more = glob.glob(f"{CORPUS}/models/**/*.onnx", recursive=True)
        found += [path for path in more if os.path.basename(path) not in names]
    return sorted(found)


def verify(path, *options):
    command = [CALIPERS, "verify", path, "--synthesize", "--threads", "1", "--format", "json", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=600)


def main():
    failures, refused, values, equal, count = [], 0, 0, 0, 0
    paths = models()
    with ThreadPoolExecutor(2) as pool:
        for path, run in zip(paths, pool.map(verify, paths)):
            name = os.path.basename(path)
            if run.returncode not in (0, 3):
                why = next((text for part, text in REFUSALS.items() if part in run.stderr), None)
                print(f"not run: {name}: {why or run.stderr.strip()}")
                refused += why is not None
                if why is None:
                    failures.append(f"{name}: {run.stderr.strip()}")
                continue
            result = json.loads(run.stdout)
            count += 1
            values += result["values"]
            equal += result["equal"]
            for other in result["different"][:3]:
                print(f"{name}: {other['value']} is {other['observed']}, inferred {other['inferred']}")
            for skipped in (result["not_run"] + result["not_inferred"])[:3]:
                print(f"{name}: {skipped['value']}: {skipped['reason']}")
            if run.returncode or result["equal"] != result["values"]:
                failures.append(f"{name}: {result['equal']} of {result['values']} values")

    oldest = glob.glob(f"{VENV}/oldest/onnxruntime/capi/libonnxruntime.so*")
    if oldest:
        run = verify("tests/fixtures/zoo/bert_tiny_cls_op17.onnx", "--runtime-lib", oldest[0])
        runtime = json.loads(run.stdout)["runtime"] if run.returncode == 0 else run.stderr.strip()
        print(f"oldest supported release: {runtime}")
        if run.returncode or not runtime.startswith("ONNX Runtime 1.24"):
            failures.append(f"oldest release: {runtime}")

    for failure in failures:
        print(f"FAILED {failure}")
    print(f"score: verification: {equal:,} of {values:,} values of {count} models are as inferred; {refused} models cannot run")
    return bool(failures)


sys.exit(main())
