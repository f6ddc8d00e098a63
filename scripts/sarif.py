"""Validates `calipers check --format sarif` of every model against the SARIF 2.1.0 schema.

Standard input is `cargo metadata` of a package that depends on serde-sarif. Called by scripts/sarif.
"""

import json
import pathlib
import subprocess
import sys

import jsonschema


def schema(metadata):
    """The schema file in the crate's sources."""
    crate = next(package for package in metadata["packages"] if package["name"] == "serde-sarif")
    return json.loads(pathlib.Path(crate["manifest_path"]).with_name("src").joinpath("schema.json").read_text())


def main():
    calipers, fixtures = sys.argv[1:]
    validator = jsonschema.Draft7Validator(schema(json.load(sys.stdin)))
    # A validator that takes everything would prove nothing.
    assert list(validator.iter_errors({"version": "2.1.0", "runs": [{}]})), "a run without a tool passes"
    checked, findings, wrong = 0, 0, 0
    for model in sorted(pathlib.Path(fixtures).rglob("*.onnx")):
        run = subprocess.run([calipers, "check", str(model), "--format", "sarif"], capture_output=True, check=False)
        if run.returncode == 1:  # the file cannot be read at all
            continue
        log = json.loads(run.stdout)
        checked += 1
        findings += len(log["runs"][0]["results"])
        for error in validator.iter_errors(log):
            wrong += 1
            print(f"{model}: {error.json_path}: {error.message[:200]}")
    print(f"sarif: {checked} logs with {findings} findings, {wrong} offences against the schema")
    sys.exit(wrong > 0 or checked == 0 or findings == 0)


if __name__ == "__main__":
    main()
