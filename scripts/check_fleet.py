"""Scans models in a bucket on engines: one result from each, with a cluster of two nodes that loses one.

    check_fleet.py FIXTURES FOLDER [MODELS]
"""

import json
import logging
import multiprocessing
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

FIXTURES, FOLDER = map(pathlib.Path, sys.argv[1:3])
MODELS = int(sys.argv[3]) if len(sys.argv) > 3 else 400
failures, checks = [], 0

# Set before Ray starts: workers inherit it.
os.environ.update(RAY_DEDUP_LOGS="0", RAY_DATA_DISABLE_PROGRESS_BARS="1", DAFT_PROGRESS_BAR="0", RAY_USAGE_STATS_ENABLED="0",
                  AWS_ACCESS_KEY_ID="KEY", AWS_SECRET_ACCESS_KEY="HIDDEN", AWS_REGION="us-east-1", DO_NOT_TRACK="1")


def check(name, passed, detail=""):
    global checks
    checks += 1
    if not passed:
        failures.append(name)
        print(f"FAILED {name}: {detail}")


def serve(port):
    """The S3 server, in a process of its own: the interpreter of this one is busy."""
    from moto.server import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import run_simple

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    run_simple("127.0.0.1", port, DomainDispatcherApplication(create_backend_app), threaded=True)


def fill(url, count):
    """Distinct small models: copies of fixtures, each with its own description; one in 100 is damaged."""
    import boto3
    from calipers import _calipers

    client = boto3.client("s3", endpoint_url=url)
    for _ in range(100):
        try:
            client.create_bucket(Bucket="models")
            break
        except Exception:
            time.sleep(0.1)
    sources = [path.read_bytes() for path in sorted((FIXTURES / "zoo").glob("*.onnx")) if path.stat().st_size < 100_000]
    # Each data file of a model is another request.
    sources = [source for source in sources if b"location" not in source] + [_calipers.demo()]
    for number in range(count):
        text = f"model {number:06}".encode()
        body = sources[number % len(sources)] + b"\x32" + bytes([len(text)]) + text
        client.put_object(Bucket="models", Key=f"m/{number:06}.onnx", Body=body if number % 100 != 7 else b"\xff" * 64)


def timed(name, call, count):
    began = time.monotonic()
    result = call()
    seconds = time.monotonic() - began
    print(f"{name}: {count / seconds:,.0f} models per second, {seconds / count * 1e3:.2f} ms each", flush=True)
    return result, seconds


def rows(table):
    import pyarrow

    return pyarrow.table(table).to_pylist()


def start_node(*arguments):
    """A node of a cluster: a process tree of its own, with its own object store."""
    command = [str(pathlib.Path(sys.executable).parent / "ray"), "start", "--num-cpus=1", "--object-store-memory=200000000",
               "--disable-usage-stats", *arguments]
    # Processes that it leaves behind keep pipes open, so it prints to a file.
    with open(FOLDER / "ray.log", "a") as log:
        started = subprocess.run(command, stdout=log, stderr=log)
    if started.returncode:
        sys.exit((FOLDER / "ray.log").read_text()[-3000:])


def nodes():
    """Process ids of the node managers."""
    found = subprocess.run(["pgrep", "-f", "raylet/raylet"], capture_output=True, text=True).stdout.split()
    return {int(pid) for pid in found}


def main():
    import calipers

    # Outside the ports that workers of Ray take.
    port = 30000 + os.getpid() % 20000
    url = os.environ["AWS_ENDPOINT_URL"] = f"http://127.0.0.1:{port}"
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(port,), daemon=True)
    server.start()
    time.sleep(1)
    fill(url, MODELS)
    prefix = "s3://models/m"
    local, one = timed("local, 1 thread", lambda: rows(calipers.scan(prefix, threads=1)), MODELS)
    check("local rows", len(local) == MODELS, len(local))
    check("damaged models are rows", sum(row["error"] is not None for row in local) == len(range(7, MODELS, 100)))
    again, two = timed("local, 2 threads", lambda: rows(calipers.scan(prefix, threads=2)), MODELS)
    check("threads", again == local)
    print(f"2 threads are {one / two:.2f} times as fast as 1")

    import daft

    found, _ = timed("daft, this machine", lambda: rows(calipers.scan(prefix, engine="daft")), MODELS)
    check("daft equals local", found == local)
    from calipers.daft import model, report_json

    frame = daft.from_pydict({"path": [row["path"] for row in local[:20]]})
    structs = frame.select(model(daft.col("path")).alias("model"), report_json(daft.col("path")).alias("report")).to_pydict()
    check("structs of daft", [row["macs"] for row in structs["model"]] == [row["macs"] for row in local[:20]])
    check("reports of daft", [json.loads(text)["cost"]["macs"] if text else None for text in structs["report"]]
          == [row["macs"] for row in local[:20]])
    data = (FIXTURES / "families" / "crnn.onnx").read_bytes()
    binary = daft.from_pydict({"data": [data]}).select(model(daft.col("data")).alias("model")).to_pydict()
    check("bytes in daft", binary["model"][0]["error"] is None and binary["model"][0]["nodes"] > 0)

    import ray

    ray_port = port + 1
    start_node("--head", f"--port={ray_port}", "--include-dashboard=false")
    head = nodes()
    try:
        ray.init(address=f"127.0.0.1:{ray_port}", log_to_driver=False, logging_level="ERROR")
        found, one = timed("ray, 1 node of 1 core", lambda: rows(calipers.scan(prefix, engine="ray")), MODELS)
        check("ray equals local", found == local)
        start_node(f"--address=127.0.0.1:{ray_port}")
        while len(ray.nodes()) < 2:
            time.sleep(0.2)
        found, two = timed("ray, 2 nodes of 1 core", lambda: rows(calipers.scan(prefix, engine="ray")), MODELS)
        check("two nodes equal local", found == local)
        print(f"2 nodes are {one / two:.2f} times as fast as 1")
        worker = nodes() - head
        check("a second node", len(worker) == 1, worker)

        def kill():
            time.sleep(two / 2)
            for pid in worker:
                os.kill(pid, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        found, lost = timed("ray, 2 nodes, one is killed", lambda: rows(calipers.scan(prefix, engine="ray")), MODELS)
        killer.join()
        check("complete after a lost node", found == local, len(found))
        print(f"losing a node at half time took {lost - two:.1f} s more")
        import daft

        daft.set_runner_ray(address=f"127.0.0.1:{ray_port}")
        found, _ = timed("daft on ray", lambda: rows(calipers.scan(prefix, engine="daft")), MODELS)
        check("daft on ray equals local", found == local)
        ray.shutdown()
    finally:
        subprocess.run([str(pathlib.Path(sys.executable).parent / "ray"), "stop", "--force"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        server.terminate()
    print(f"score: engines: {checks - len(failures)} of {checks} checks")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
