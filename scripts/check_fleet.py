"""Scans models in a bucket on engines: one result from each, with a cluster of two nodes that loses one.

    check_fleet.py FIXTURES GUIDE [MODELS]

Prints what is measured. Everything runs on this machine: the S3 server, both nodes and the driver share its cores.
"""

import contextlib
import ctypes
import faulthandler
import json
import logging
import multiprocessing
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ProcessPoolExecutor

import checks
from checks import check, conclude

FIXTURES, GUIDE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
MODELS = int(sys.argv[3]) if len(sys.argv) > 3 else 400
# One in 100 is damaged, the eighth first.
DAMAGED = range(7, MODELS, 100)
SECONDS = 300 + MODELS // 5
BIN = pathlib.Path(sys.executable).parent

# Set before Ray starts: workers inherit it. Ray and Daft stay quiet and send nothing.
os.environ.update(RAY_DEDUP_LOGS="0", RAY_DATA_DISABLE_PROGRESS_BARS="1", DAFT_PROGRESS_BAR="0", RAY_USAGE_STATS_ENABLED="0",
                  DO_NOT_TRACK="1", AWS_ACCESS_KEY_ID="KEY", AWS_SECRET_ACCESS_KEY="HIDDEN", AWS_REGION="us-east-1",
                  AWS_EC2_METADATA_DISABLED="true", RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO="0")


# Processes: all of them are descendants of this one, also those whose parent ended, so none is left behind.

def adopt_orphans():
    ctypes.CDLL(None).prctl(36, 1)  # PR_SET_CHILD_SUBREAPER of Linux


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG of Linux


def descendants(root=None):
    """Process ids and command lines of the processes below one."""
    children = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (folder / "stat").read_text().rpartition(") ")[2].split()[:2]
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace").strip()
        except OSError:
            continue
        if state != "Z":
            children.setdefault(int(parent), []).append((int(folder.name), command))
    found, parents = {}, [root or os.getpid()]
    while parents:
        below = children.get(parents.pop(), [])
        found.update(below)
        parents += [pid for pid, _ in below]
    return found


def kill(pids):
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def wait_until(condition, seconds, what):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"FAILED: {what}: not after {seconds} s")
        time.sleep(0.1)


def give_up():
    print(f"FAILED: not finished after {SECONDS} s", flush=True)
    faulthandler.dump_traceback(all_threads=True)
    kill(descendants())
    os._exit(1)


def free_ports(count):
    """Ports that nothing uses, so that another cluster on this machine is not disturbed."""
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [server.getsockname()[1] for server in servers]


def listens(address, port):
    with socket.socket() as client:
        return client.connect_ex((address, port)) == 0


class Node:
    """A node of a Ray cluster with one core: a process tree of its own, with its own address and object store."""

    count = 0

    def __init__(self, folder, *arguments):
        # Loopback addresses; Ray replaces the first of them by another one of this machine.
        Node.count += 1
        self.address = ip = f"127.0.0.{Node.count + 1}"
        agent, grpc, metrics, runtime = free_ports(4)
        command = [BIN / "ray", "start", "--block", f"--node-ip-address={ip}", "--num-cpus=1", "--num-gpus=0",
                   "--object-store-memory=1000000000", "--disable-usage-stats", "--min-worker-port=0", "--max-worker-port=0",
                   f"--dashboard-agent-listen-port={agent}", f"--dashboard-agent-grpc-port={grpc}",
                   f"--metrics-export-port={metrics}", f"--runtime-env-agent-port={runtime}", f"--temp-dir={folder}", *arguments]
        with open(folder / "nodes.log", "a") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, preexec_fn=die_with_parent)

    def wait(self, condition):
        """Waits until the node is ready."""

        def ready():
            if self.process.poll() is not None:
                sys.exit("FAILED: a node ended\n" + (pathlib.Path.cwd() / "nodes.log").read_text()[-3000:])
            return condition()

        wait_until(ready, 60, "a node")

    def tasks(self):
        """Workers that execute a task or an actor."""
        return [command for command in descendants(self.process.pid).values() if re.match(r"ray::(?!IDLE)", command)]

    def lose(self):
        """Kills every process of it at once, as a machine that is switched off."""
        kill([self.process.pid, *descendants(self.process.pid)])
        self.process.wait()



# The S3 server and the models on it.


def serve(port, counts):
    """The S3 server, in a process of its own: the interpreter of this one is busy."""
    from moto.server import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import WSGIRequestHandler, run_simple

    die_with_parent()
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    application = DomainDispatcherApplication(create_backend_app)
    lock = threading.Lock()

    def counted(environ, start_response):
        listed = environ["PATH_INFO"].count("/") < 2 or environ["PATH_INFO"].endswith("/")

        def start(status, headers, *rest):
            if environ["REQUEST_METHOD"] in ("GET", "HEAD"):
                length = int(dict(headers).get("Content-Length", 0)) if environ["REQUEST_METHOD"] == "GET" else 0
                with lock:
                    counts[0 if listed else 1] += 1
                    counts[2] += 0 if listed else length
            return start_response(status, headers, *rest)

        return application(environ, start)

    # Connections stay open, as those of a real server do.
    WSGIRequestHandler.protocol_version = "HTTP/1.1"
    run_simple("127.0.0.1", port, counted, threaded=True)


def fill(url, count):
    """Distinct small models: copies of fixtures, each with its own description; one in 100 is damaged."""
    import boto3
    from calipers import _calipers

    client = boto3.client("s3", endpoint_url=url)
    for bucket in ("fleet", "bucket"):
        client.create_bucket(Bucket=bucket)
    sources = [path.read_bytes() for path in sorted((FIXTURES / "zoo").glob("*.onnx")) if path.stat().st_size < 100_000]
    # Each data file of a model is another request.
    sources = [source for source in sources if b"location" not in source] + [_calipers.demo()]
    folder = pathlib.Path("fleet")
    folder.mkdir()
    for number in range(count):
        text = f"model {number:06}".encode()
        body = sources[number % len(sources)] + b"\x32" + bytes([len(text)]) + text
        body = b"\xff" * 64 if number in DAMAGED else body
        client.put_object(Bucket="fleet", Key=f"m/{number:06}.onnx", Body=body)
        (folder / f"{number:06}.onnx").write_bytes(body)
    # What the examples of the guide read.
    examples = pathlib.Path("models")
    examples.mkdir()
    for path in sorted((FIXTURES / "zoo").glob("*resnet*.onnx"))[:3] + sorted((FIXTURES / "families").glob("b*.onnx"))[:3]:
        shutil.copyfile(path, examples / path.name)
    (examples / "broken.onnx").write_bytes(b"\xff" * 64)
    for path in examples.iterdir():
        client.upload_file(str(path), "bucket", f"models/{path.name}")


# Measurements and checks.


def processor_seconds():
    """Processor time of this process and of all below it, without the S3 server."""
    ticks = 0
    for pid in {os.getpid(), *descendants()} - {int(os.environ["S3_SERVER"])}:
        try:
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
        except OSError:
            continue
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def timed(name, call):
    began, processor = time.monotonic(), processor_seconds()
    result = call()
    seconds, processor = time.monotonic() - began, processor_seconds() - processor
    # That of a process that was killed is not known.
    spent = f", {processor / MODELS * 1e3:.2f} ms of processor time each" if processor > 0 else ""
    print(f"{name}: {seconds:.1f} s, {MODELS / seconds:,.0f} models per second, {seconds / MODELS * 1e3:.2f} ms each{spent}", flush=True)
    return result, seconds


def scanned(paths, **options):
    """The rows of `calipers.scan`."""
    import calipers
    import pyarrow

    return pyarrow.table(calipers.scan(paths, **options)).to_pylist()


def local_engine(prefix, files, counts):
    """The result that every engine must have, and what it costs on this machine."""
    before = list(counts)
    local, _ = timed("s3, local, 1 thread", lambda: scanned(prefix, threads=1))
    lists, gets, sent = (now - then for now, then in zip(counts, before))
    print(f"s3: {gets / MODELS:.3f} requests and {sent / MODELS / 1e3:.1f} kB per model, {lists} lists")
    check("one request per model", gets == MODELS, gets)
    check("one list per 1,000 models", lists <= MODELS // 1000 + 1, lists)
    check("local rows", len(local) == MODELS, len(local))
    damaged = [row["path"] for row in local if row["error"] is not None]
    check("damaged models are rows", damaged == [f"{prefix}/{number:06}.onnx" for number in DAMAGED], damaged[:3])
    check("figures", sum(row["macs"] is not None for row in local) > MODELS / 2)
    again, _ = timed("s3, local, 32 threads", lambda: scanned(prefix))
    check("threads", again == local)
    found, one = timed("files, local, 1 thread", lambda: scanned(files, threads=1))
    # Weights that were not fetched have no digest.
    apart = dict.fromkeys(("path", "version", "error", "weights_digest"))
    differences = [(one, other) for one, other in zip(found, local) if {**one, **apart} != {**other, **apart}]
    check("files equal objects", not differences, differences[:1])
    again, two = timed("files, local, 2 threads", lambda: scanned(files, threads=2))
    check("files, 2 threads", again == found)
    print(f"files: 2 threads are {one / two:.2f} times as fast as 1")
    return local, found


def sources(local):
    """Paths, bytes and nulls, with the error or the cost that is expected for each."""
    import calipers

    good = pathlib.Path("models/bart.onnx")
    macs = calipers.report_dict(good)["cost"]["macs"]
    # Its last byte is zero: a field with the version of the model.
    data = good.read_bytes() + b"\x28\x00"
    paths = [str(good), "models/broken.onnx", "models/missing.onnx", None, local[0]["path"]]
    binary = [data, b"\xff" * 64, b"", None]
    return macs, paths, binary


def expressions(local):
    """`model` and `report_json` in Daft: paths, URLs, bytes, nulls and what cannot be read."""
    import daft
    from calipers.daft import model, report_json

    macs, paths, binary = sources(local)
    col = daft.col
    frame = daft.from_pydict({"source": paths})
    found = frame.select(model(col("source")).alias("model"), report_json(col("source")).alias("report")).to_pydict()
    models, reports = found["model"], found["report"]
    check("daft: paths", [row and row["macs"] for row in models] == [macs, None, None, None, local[0]["macs"]], models)
    check("daft: errors", [bool(row and row["error"]) for row in models] == [False, True, True, False, False], models)
    check("daft: null", models[3] is None or models[3]["path"] is None, models[3])
    check("daft: a URL's row", models[4] == local[0], models[4])
    check("daft: reports", [text and json.loads(text)["cost"]["macs"] for text in reports] == [macs, None, None, None, local[0]["macs"]])
    frame = daft.from_pydict({"data": binary, "name": ["a", "b", "c", "d"]})
    found = frame.select(model(col("data"), col("name")).alias("model"), report_json(col("data"), device="l4").alias("report")).to_pydict()
    models, reports = found["model"], found["report"]
    check("daft: bytes", [row and row["macs"] for row in models] == [macs, None, None, None], models)
    check("daft: names of bytes", [row["path"] for row in models[:3]] == ["a", "b", "c"], models)
    check("daft: errors of bytes", [bool(row and row["error"]) for row in models] == [False, True, True, False], models)
    check("daft: reports of bytes", [bool(text) for text in reports] == [True, False, False, False], reports)
    check("daft: options", json.loads(reports[0])["hardware"]["device"]["id"] == "l4")


def datasets(local):
    """`models` and `reports` on Ray Data: the same."""
    import pyarrow
    import ray
    from calipers.ray import models, reports

    macs, paths, binary = sources(local)
    paths = [path and os.path.abspath(path) if path and "://" not in path else path for path in paths]
    table = pyarrow.table({"source": pyarrow.array(paths, pyarrow.string())})
    found = {row["path"]: row for row in models(ray.data.from_arrow(table), "source").take_all()}
    check("ray: paths", [found[path]["macs"] for path in paths if path] == [macs, None, None, local[0]["macs"]], found)
    check("ray: errors", [bool(found[path]["error"]) for path in paths if path] == [False, True, True, False], found)
    check("ray: a URL's row", found[paths[4]] == local[0], found[paths[4]])
    found = {row["source"]: row for row in reports(ray.data.from_arrow(table), "source").take_all()}
    texts = [found[path]["report"] for path in paths]
    check("ray: reports", [text and json.loads(text)["cost"]["macs"] for text in texts] == [macs, None, None, None, local[0]["macs"]])
    check("ray: errors of reports", [bool(found[path]["error"]) for path in paths] == [False, True, True, False, False], found)
    table = pyarrow.table({"data": pyarrow.array(binary, pyarrow.binary()), "name": ["a", "b", "c", "d"]})
    found = {row["path"]: row for row in models(ray.data.from_arrow(table), "data", name="name").take_all()}
    check("ray: bytes", [found[name]["macs"] for name in "abc"] == [macs, None, None], found)
    check("ray: errors of bytes", [bool(found[name]["error"]) for name in "abc"] == [False, True, True], found)
    found = {row["name"]: row for row in reports(ray.data.from_arrow(table), "data", name="name", device="l4").take_all()}
    check("ray: reports of bytes", [bool(found[name]["report"]) for name in "abcd"] == [True, False, False, False], found)
    check("ray: options", json.loads(found["a"]["report"])["hardware"]["device"]["id"] == "l4")
    layers = models(ray.data.from_items(paths[:2]), table="layers").take_all()
    check("ray: layers", len(layers) == sum(row["path"] == paths[0] for row in layers) > 5, len(layers))


def lost_results(files, local_files):
    """Daft on Ray fetches two results and then learns that the others are lost with a node."""
    import daft
    from ray.exceptions import ObjectLostError

    fetch, calls = daft.DataFrame.to_arrow_iter, []

    def interrupted(frame, *arguments, **options):
        calls.append(frame)
        for number, batch in enumerate(fetch(frame, *arguments, **options)):
            if len(calls) == 1 and number == 2:
                raise ObjectLostError("00" * 28, None, "")
            yield batch

    daft.DataFrame.to_arrow_iter = interrupted
    try:
        found = scanned(files, engine="daft")
    finally:
        daft.DataFrame.to_arrow_iter = fetch
    check("lost results are read again", found == local_files and len(calls) == 2, (len(found), len(calls)))


def losing(name, node, call, counts, seconds):
    """Runs a scan and kills a node when the server has answered half of the requests."""
    half = counts[1] + MODELS // 2
    busy = []

    def lose():
        while counts[1] < half:
            time.sleep(0.005)
        busy.extend(node.tasks())
        node.lose()
        busy.append(time.monotonic())

    killer = threading.Thread(target=lose, daemon=True)
    killer.start()
    found, lost = timed(name, call)
    ended = time.monotonic()
    killer.join(1)
    check(f"{name}: it had tasks", len(busy) > 1, busy)
    check(f"{name}: during the run", bool(busy) and busy[-1] < ended)
    print(f"{name}: {lost - seconds:.1f} s more than without")
    return found


def cluster(prefix, files, local, local_files, counts):
    """Ray Data, then Daft, on one node, on two, and on two that become one."""
    import ray

    logging.disable(logging.WARNING)
    folder = pathlib.Path.cwd()
    [port] = free_ports(1)
    nodes = [Node(folder, "--head", f"--port={port}", "--include-dashboard=false")]
    address = os.environ["RAY_ADDRESS"] = f"{nodes[0].address}:{port}"

    def alive():
        return [node for node in ray.nodes() if node["Alive"]]

    def join():
        nodes.append(Node(folder, f"--address={address}"))
        nodes[-1].wait(lambda: len(alive()) == 2)

    try:
        nodes[0].wait(lambda: listens(nodes[0].address, port))
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", _node_ip_address=nodes[0].address)
        datasets(local)
        found, one = timed("files, ray, 1 node", lambda: scanned(files, engine="ray"))
        check("ray equals local", found == local_files)
        found, _ = timed("s3, ray, 1 node", lambda: scanned(prefix, engine="ray"))
        check("ray equals local, s3", found == local)
        join()
        stores = {node["ObjectStoreSocketName"] for node in alive()}
        check("two object stores", len(stores) == 2, stores)
        scanned("models", engine="ray")
        found, two = timed("files, ray, 2 nodes", lambda: scanned(files, engine="ray"))
        check("two nodes equal local", found == local_files)
        print(f"files, ray: 2 nodes are {one / two:.2f} times as fast as 1")
        found, two = timed("s3, ray, 2 nodes", lambda: scanned(prefix, engine="ray"))
        check("two nodes equal local, s3", found == local)
        found = losing("s3, ray, a node is killed", nodes[1], lambda: scanned(prefix, engine="ray"), counts, two)
        check("complete after a lost node", found == local, len(found))
        wait_until(lambda: len(alive()) == 1, 120, "the cluster notices the lost node")
        examples()
        join()
        import daft

        daft.set_runner_ray(address=address)
        expressions(local)
        lost_results(files, local_files)
        found, _ = timed("files, daft on ray, 2 nodes", lambda: scanned(files, engine="daft"))
        check("daft on ray equals local", found == local_files)
        found, two = timed("s3, daft on ray, 2 nodes", lambda: scanned(prefix, engine="daft"))
        check("daft on ray equals local, s3", found == local)
        found = losing("s3, daft on ray, a node is killed", nodes[2], lambda: scanned(prefix, engine="daft"), counts, two)
        check("daft on ray complete after a lost node", found == local, len(found))
    finally:
        ray.shutdown()
        for node in reversed(nodes):
            node.lose()


def examples():
    """Every Python example of the guide, each in a process of its own, as a reader would."""
    found = re.findall(r"```python\n(.*?)```", GUIDE.read_text() if GUIDE.exists() else "", re.S)
    check("examples of the guide", len(found) >= 4, len(found))
    for number, text in enumerate(found):
        check(f"example {number} has results", ">>>" in text, text)
        path = pathlib.Path(f"example-{number}.txt")
        path.write_text(text)
        command = [sys.executable, "-m", "doctest", "-o", "ELLIPSIS", "-o", "NORMALIZE_WHITESPACE", path]
        result = subprocess.run(command, capture_output=True, text=True, timeout=180)
        check(f"example {number}", result.returncode == 0, result.stdout + result.stderr[-2000:])


def daft_here(prefix, files, local, local_files):
    """Daft on this machine, and the checks of it. A process has one runner, so this is called in another process."""
    expressions(local)
    found, _ = timed("files, daft", lambda: scanned(files, engine="daft"))
    check("daft equals local", found == local_files)
    found, _ = timed("s3, daft", lambda: scanned(prefix, engine="daft"))
    check("daft equals local, s3", found == local)
    return checks.failures, checks.done


def main():
    adopt_orphans()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    watchdog = threading.Timer(SECONDS, give_up)
    watchdog.daemon = True
    watchdog.start()
    context = multiprocessing.get_context("spawn")
    # Sockets of Ray need a short path.
    with tempfile.TemporaryDirectory(prefix="fleet", ignore_cleanup_errors=True) as folder:
        os.chdir(folder)
        counts = context.Array("q", 3, lock=False)
        [port] = free_ports(1)
        url = os.environ["AWS_ENDPOINT_URL"] = f"http://127.0.0.1:{port}"
        server = context.Process(target=serve, args=(port, counts), daemon=True)
        server.start()
        os.environ["S3_SERVER"] = str(server.pid)
        try:
            wait_until(lambda: listens("127.0.0.1", port), 60, "the S3 server")
            fill(url, MODELS)
            prefix, files = "s3://fleet/m", "fleet"
            local, local_files = local_engine(prefix, files, counts)
            with ProcessPoolExecutor(1, mp_context=context) as pool:
                failed, done = pool.submit(daft_here, prefix, files, local, local_files).result()
            checks.add(failed, done)
            cluster(prefix, files, local, local_files, counts)
        finally:
            server.terminate()
            server.join()
            os.chdir("/")
            left = descendants()
            end = time.monotonic() + 10
            while left and time.monotonic() < end:
                time.sleep(0.2)
                left = {pid: command for pid, command in descendants().items() if "resource_tracker" not in command}
            kill(left)
        check("no process is left", not left, left)
    return conclude("engines")


if __name__ == "__main__":
    sys.exit(main())
