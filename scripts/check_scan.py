"""Checks datasets from outside: kills, the queries of the guide, the figures of single reports, buckets.

    check_scan.py CALIPERS FIXTURES FOLDER GUIDE
"""

import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

import duckdb
import pyarrow.parquet as parquet

from checks import check, conclude

CALIPERS, FIXTURES, FOLDER, GUIDE = sys.argv[1], *map(pathlib.Path, sys.argv[2:5])
TABLES = ("models", "layers", "tensors", "findings", "shapes")


def run(*arguments, **options):
    return subprocess.run([CALIPERS, *map(str, arguments)], capture_output=True, text=True, **options)


def rows(dataset, table):
    """The rows of a table, sorted, each once for each time it is there."""
    found = []
    for part in sorted((dataset / table).glob("*.parquet")):
        found += parquet.read_table(part).to_pylist()
    return sorted(json.dumps(row, sort_keys=True) for row in found)


def journal(dataset):
    """Models that are in the journal or in a commit."""
    done = set()
    of_journal = lambda line: [line["model"]["path"]]
    files = (("manifest.jsonl", lambda line: line["models"]), ("journal-previous.jsonl", of_journal), ("journal.jsonl", of_journal))
    for name, paths in files:
        if not (dataset / name).exists():
            continue
        with (dataset / name).open() as lines:
            for line in lines:
                if line.endswith("\n"):
                    done |= set(paths(json.loads(line)))
    return done


def kills():
    """Scans that are killed at random moments, until one gets through."""
    models = FOLDER / "models"
    models.mkdir()
    sources = [path for path in sorted(FIXTURES.glob("families/*.onnx")) if path.stat().st_size < 200_000]
    for number in range(6):
        for path in sources:
            shutil.copyfile(path, models / f"{number}-{path.name}")
    (models / "bad.onnx").write_bytes(b"\xff" * 40)
    total = len(list(models.iterdir()))
    whole = FOLDER / "whole"
    began = time.monotonic()
    check("whole", run("scan", models, "-o", whole).returncode == 0)
    seconds = time.monotonic() - began
    dataset, killed, random_moments = FOLDER / "killed", 0, random.Random(7)
    before = set()
    for attempt in range(200):
        process = subprocess.Popen([CALIPERS, "scan", models, "-o", dataset], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            # The last ones are short, so that starting, committing and truncating are hit too.
            out, _ = process.communicate(timeout=seconds * random_moments.random() * (0.3 if attempt < 40 else 3))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            killed += 1
            if (dataset / "journal.jsonl").exists() and (dataset / "manifest.jsonl").exists():
                now = journal(dataset)
                check("nothing is lost", before <= now, sorted(before - now)[:3])
                before = now
            continue
        scanned = int(re.search(r"Scanned ([\d,]+)", out)[1].replace(",", ""))
        check("nothing is repeated", scanned <= total - len(before), f"{scanned} of {total}, {len(before)} were done")
        break
    check("killed often enough", killed >= 10, killed)
    for table in TABLES:
        check(f"{table} of a killed scan", rows(dataset, table) == rows(whole, table))
    paths = [json.loads(row)["path"] for row in rows(dataset, "models")]
    check("each model once", len(paths) == len(set(paths)) == total, (len(paths), total))
    print(f"{total} models, killed {killed} times")


def queries():
    """Every query of the guide runs on a dataset of the fixtures."""
    work = FOLDER / "queries"
    work.mkdir()
    models = work / "models"
    shutil.copytree(FIXTURES / "zoo", models / "zoo")
    shutil.copytree(FIXTURES / "hostile", models / "hostile")
    check("fixtures", run("scan", "models", "-o", "dataset", cwd=work).returncode == 0)
    connection = duckdb.connect()
    os.chdir(work)
    answers = [connection.sql(query).fetchall() for query in re.findall(r"```sql\n(.*?)```", GUIDE.read_text(), re.S)]
    check("queries of the guide", len(answers) >= 6)
    check("architectures", any(len(answer) > 0 for answer in answers[2:3]), answers[2])
    unread = connection.sql("SELECT count(*) FROM 'dataset/models/*.parquet' WHERE error IS NOT NULL").fetchall()[0][0]
    check("unreadable files are rows", 0 < unread == len(answers[-1]), unread)
    for path in sorted((models / "zoo").glob("resnet*.onnx")):
        report = json.loads(run(path, "--format", "json").stdout)
        found = connection.sql(
            f"SELECT macs, parameters, nodes, peak_activation_bytes, family FROM 'dataset/models/*.parquet' WHERE path = 'models/zoo/{path.name}'").fetchall()[0]
        expected = (report["cost"]["macs"], report["parameters"]["total"], report["graph"]["nodes"],
                    report["memory"]["peak_activation_bytes"], report["architecture"]["family"])
        check(f"figures of {path.name}", found == expected, (found, expected))
        macs = connection.sql(f"SELECT sum(macs), count(*) FROM 'dataset/layers/*.parquet' WHERE path = 'models/zoo/{path.name}'").fetchall()[0]
        check(f"layers of {path.name}", macs == (report["cost"]["macs"], report["graph"]["nodes"]), macs)
    for format in ("csv", "jsonl"):
        check(format, run("scan", "models", "-o", format, "--format", format, cwd=work).returncode == 0)
        read = f"read_{'csv' if format == 'csv' else 'json_auto'}('{format}/models/*.{format}')"
        count = connection.sql(f"SELECT count(*) FROM {read}").fetchall()[0][0]
        check(f"rows as {format}", count == connection.sql("SELECT count(*) FROM 'dataset/models/*.parquet'").fetchall()[0][0], count)


def buckets():
    """A bucket prefix, scanned twice."""
    import logging

    import boto3
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        url = f"http://{host}:{port}"
        client = boto3.client("s3", endpoint_url=url, region_name="us-east-1", aws_access_key_id="KEY", aws_secret_access_key="HIDDEN")
        client.create_bucket(Bucket="models")
        paths = sorted((FIXTURES / "zoo").glob("*.onnx"))[:12]
        for path in paths:
            client.upload_file(str(path), "models", f"zoo/{path.name}")
        client.put_object(Bucket="models", Key="zoo/readme.txt", Body=b"text")
        variables = {**os.environ, "AWS_ENDPOINT_URL": url, "AWS_ACCESS_KEY_ID": "KEY", "AWS_SECRET_ACCESS_KEY": "HIDDEN"}
        dataset = FOLDER / "bucket"
        first = run("scan", "s3://models/zoo", "-o", dataset, env=variables)
        check("bucket", f"Scanned {len(paths)} models" in first.stdout, first.stdout + first.stderr)
        second = run("scan", "s3://models/zoo", "-o", dataset, env=variables)
        check("bucket again", f"{len(paths)} unchanged" in second.stdout, second.stdout + second.stderr)
        client.upload_file(str(paths[1]), "models", f"zoo/{paths[0].name}")
        third = run("scan", "s3://models/zoo/", "-o", dataset, env=variables)
        check("changed object", "Scanned 1 model" in third.stdout, third.stdout + third.stderr)
        found = [json.loads(row) for row in rows(dataset, "models")]
        check("rows of a bucket", sorted(row["path"] for row in found) == [f"s3://models/zoo/{path.name}" for path in paths])
        check("errors of a bucket", not any(row["error"] for row in found))
        listed = FOLDER / "list.txt"
        listed.write_text(f"# models\ns3://models/zoo/{paths[0].name}\n{paths[1]}\n")
        mixed = run("scan", "--list", listed, "-o", FOLDER / "mixed", env=variables)
        check("list", "Scanned 2 models" in mixed.stdout, mixed.stdout + mixed.stderr)
        check("secrets", "HIDDEN" not in first.stdout + first.stderr)
    finally:
        server.stop()


kills()
buckets()
queries()
sys.exit(conclude("datasets"))
