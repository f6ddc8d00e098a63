"""Reads models from servers on this machine: faults, a slow link, object stores.

    check_remote.py CALIPERS FIXTURES FOLDER AZURITE
"""

import contextlib
import datetime
import ipaddress
import json
import logging
import os
import pathlib
import socket
import subprocess
import sys
import time

from checks import check, conclude
from remote_server import RangeServer

CALIPERS, FIXTURES, FOLDER, AZURITE = sys.argv[1], *map(pathlib.Path, sys.argv[2:5])
MODEL = "resnet18_op17_static.onnx"


def run(*arguments, **environment):
    # Nothing of this machine's credentials and proxies takes part.
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("AWS_", "HF_", "GOOGLE_", "AZURE_", "CLOUDSDK_", "STORAGE_", "SSL_", "REQUESTS_"))}
    variables = {**kept, "CALIPERS_TIMEOUT": "2", "HOME": str(FOLDER), **environment}
    return subprocess.run([CALIPERS, *map(str, arguments)], capture_output=True, text=True, env=variables)


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def field(number, payload):
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def integer(number, value):
    return varint(number << 3) + varint(value)


def decoder(path, layers, hidden, gated, inline=True):
    """A file of a decoder's linear layers, float16, in the order of exporters: nodes, initializers, inputs.

    Its weights are holes of the file. With `inline`, protobuf's own limit of 2 GB does not hold for it; readers that
    hold to it cannot read it.
    """
    shapes = []
    for layer in range(layers):
        name = f"model.layers.{layer}"
        shapes += [(f"{name}.{part}", hidden, hidden) for part in ("q", "k", "v", "o")]
        shapes += [(f"{name}.gate", hidden, gated), (f"{name}.up", hidden, gated), (f"{name}.down", gated, hidden)]
        shapes += [(f"{name}.norm", 1, hidden)]
    nodes, value = b"", "x"
    for name, rows, columns in shapes:
        operator = b"Mul" if name.endswith("norm") else b"MatMul"
        operands = field(1, value.encode()) + field(1, name.encode())
        nodes += field(1, operands + field(2, f"{name}.y".encode()) + field(4, operator))
        # Two matrices share their input; the output of one of them is unused.
        value = value if name.endswith("gate") else f"{name}.y"
    nodes += field(1, field(1, value.encode()) + field(2, b"y") + field(4, b"Identity"))
    described, offset = [], 0
    for name, rows, columns in shapes:
        size = 2 * rows * columns
        header = integer(1, rows) + integer(1, columns) + integer(2, 10) + field(8, name.encode())
        if inline:
            data = varint(9 << 3 | 2) + varint(size)
            described.append((varint(5 << 3 | 2) + varint(len(header) + len(data) + size) + header + data, size))
        else:
            entries = [("location", path.name + ".data"), ("offset", str(offset)), ("length", str(size))]
            external = b"".join(field(13, field(1, key.encode()) + field(2, text.encode())) for key, text in entries)
            described.append((field(5, header + external + integer(14, 1)), 0))
            offset += size
    tensor = integer(1, 10) + field(2, field(1, integer(1, 1)) + field(1, integer(1, hidden)))
    ports = field(11, field(1, b"x") + field(2, field(1, tensor))) + field(12, field(1, b"y"))
    length = len(nodes) + sum(len(header) + size for header, size in described) + len(ports)
    with path.open("wb") as out:
        out.write(integer(1, 8) + varint(7 << 3 | 2) + varint(length) + nodes)
        for header, size in described:
            out.write(header)
            out.seek(size, os.SEEK_CUR)
        out.write(ports + field(8, integer(2, 17)))
    if not inline:
        with (path.parent / (path.name + ".data")).open("wb") as out:
            out.truncate(offset)
    return sum(rows * columns for _, rows, columns in shapes)


def faults():
    local = run(FIXTURES / MODEL, "--format", "json").stdout
    with RangeServer(FIXTURES, stall=5) as server:
        for fault, words in {
            "plain": None, "no-ranges": None, "truncated": None, "unavailable": None, "redirect": None, "changing": None,
            "always-truncated": "closed the connection", "always-unavailable": "503 Service Unavailable",
            "denied": "access denied: the server answered 403", "redirect-loop": "redirects without end",
            "stall": "did not answer in time", "secret": "access denied", "wrong-range": "answer is malformed",
            "garbage": "not HTTP", "unknown": "no such file",
        }.items():
            result = run(f"{server.url}/{fault}/{MODEL}?signature=HIDDEN", "--format", "json")
            if words is None:
                check(fault, result.returncode == 0 and result.stdout == local, result.stderr)
            else:
                check(fault, result.returncode == 1 and words in result.stderr and "HIDDEN" not in result.stderr, result.stderr)
        with_login = server.url.replace("//", "//me:secret@") + f"/secret/{MODEL}"
        result = run(with_login)
        check("login", result.returncode == 0 and "secret@" not in result.stdout, result.stderr)
        check("login is sent to its server alone", all(
            headers.get("Authorization") is None for _, path, headers in server.seen if not path.startswith("/secret")))
        for command in ("verify", "bench", "run"):
            result = run(command, f"{server.url}/plain/{MODEL}")
            check(f"{command} needs a file", result.returncode != 0, result.stdout)
        before = server.requests
        result = run(f"{server.url}/plain/{MODEL}", "--offline")
        check("offline", result.returncode == 1 and "--offline forbids" in result.stderr and server.requests == before, result.stderr)
        result = run("check", f"{server.url}/plain/{MODEL}", "--weights")
        # What a server without ranges or a small file sends is whole.
        check("weights of a remote model", result.returncode in (0, 1), result.stderr)
        result = run("compare", f"{server.url}/plain/{MODEL}", FIXTURES / MODEL)
        check("compare", result.returncode == 0 and "same" in result.stdout, result.stderr)
        result = run("report", f"{server.url}/plain/{MODEL}?a=b.c", "-o", FOLDER / "page.html", "--force")
        check("report", result.returncode == 0 and (FOLDER / "page.html").exists(), result.stderr)
        hub = run(f"hf://plain/x@y/{MODEL}", HF_ENDPOINT=server.url, HF_TOKEN="hf_HIDDEN")
        check("hub address", any(path == f"/plain/x/resolve/y/{MODEL}" and headers.get("Authorization") == "Bearer hf_HIDDEN"
                                 for _, path, headers in server.seen), hub.stderr)
        check("hub token is not printed", "HIDDEN" not in hub.stdout + hub.stderr)
    result = run("http://127.0.0.1:9/model.onnx")
    check("refused connection", result.returncode == 1 and "refuses the connection" in result.stderr, result.stderr)


def certificate(name, folder):
    """A certificate for 127.0.0.1 that signs itself, and its key, in one file."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.timezone.utc)
    signed = (x509.CertificateBuilder().subject_name(subject).issuer_name(subject).public_key(key.public_key())
              .serial_number(x509.random_serial_number()).not_valid_before(now).not_valid_after(now + datetime.timedelta(days=1))
              .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
              .sign(key, hashes.SHA256()))
    path = folder / f"{name}.pem"
    path.write_bytes(signed.public_bytes(serialization.Encoding.PEM) + key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    return path


def https():
    """Servers with certificates of a private authority, and redirects between them and plain ones."""
    local = run(FIXTURES / MODEL, "--format", "json").stdout
    trusted, other = certificate("trusted", FOLDER), certificate("other", FOLDER)
    with RangeServer(FIXTURES, certificate=trusted) as server, RangeServer(FIXTURES) as plain:
        server.elsewhere, plain.elsewhere = plain.url, server.url
        address = f"{server.url}/plain/{MODEL}?signature=HIDDEN"
        for variable in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"):
            result = run(address, "--format", "json", **{variable: trusted})
            check(f"https, {variable}", result.returncode == 0 and result.stdout == local, result.stderr)
        before = server.requests
        for name, variables in {"built-in authorities": {}, "another authority": {"SSL_CERT_FILE": other}}.items():
            result = run(address, **variables)
            check(f"https, {name}", result.returncode == 1 and "certificate" in result.stderr and "SSL_CERT_FILE" in result.stderr, result.stderr)
            check(f"https, {name}, signature", "HIDDEN" not in result.stderr, result.stderr)
        result = run(f"s3://models/{MODEL}", AWS_ENDPOINT_URL=server.url, AWS_ACCESS_KEY_ID="KEY", AWS_SECRET_ACCESS_KEY="HIDDEN", AWS_CA_BUNDLE=other)
        check("https, S3", "UnknownIssuer" in result.stderr and "set AWS_CA_BUNDLE" in result.stderr, result.stderr)
        result = run(address.replace("https:", "http:"))
        check("http to a server of https", result.returncode == 1 and "SSL_CERT_FILE" not in result.stderr, result.stderr)
        result = run(f"{plain.url}/plain/{MODEL}".replace("http:", "https:"))
        check("https to a server of http", result.returncode == 1 and "TLS failed" in result.stderr and "SSL_CERT_FILE" not in result.stderr, result.stderr)
        check("https, nothing is asked of a server that is not trusted", server.requests == before, server.requests)
        result = run(address, SSL_CERT_FILE="/nowhere/ca.pem")
        check("https, no file", result.returncode == 1 and "SSL_CERT_FILE, ca.pem, cannot be read" in result.stderr, result.stderr)
        result = run(f"{plain.url}/elsewhere/{MODEL}", "--format", "json", SSL_CERT_FILE=trusted)
        check("http to https", result.returncode == 0 and result.stdout == local, result.stderr)
        before = plain.requests
        login = f"{server.url}/elsewhere/{MODEL}".replace("//", "//me:secret@")
        result = run(login, SSL_CERT_FILE=trusted)
        check("https to http", result.returncode == 1 and "redirects from https to http" in result.stderr, result.stderr)
        result = run(f"s3://elsewhere/{MODEL}", AWS_ENDPOINT_URL=server.url, AWS_SKIP_SIGNATURE="true", AWS_CA_BUNDLE=trusted)
        check("https to http, S3", result.returncode == 1 and "redirects from https to http" in result.stderr, result.stderr)
        check("https to http, nothing is sent", plain.requests == before, plain.requests)


def changes_while_reading():
    path = FOLDER / "changing.onnx"
    decoder(path, 8, 1024, 2816)
    with RangeServer(FOLDER) as server:
        result = run(f"{server.url}/changing/{path.name}")
        check("file that changes", result.returncode == 1 and "changed on the server" in result.stderr, result.stderr)


def slow_link():
    """A 5 GB model over 100 Mbit/s with 50 ms of latency: time is printed, bytes and requests are checked."""
    for inline in (True, False):
        path = FOLDER / f"decoder-{'inline' if inline else 'external'}.onnx"
        parameters = decoder(path, 22, 3072, 8192, inline)
        size = path.stat().st_size if inline else path.stat().st_size + os.path.getsize(f"{path}.data")
        with RangeServer(FOLDER, latency=0.05, bandwidth=12_500_000) as server:
            began = time.monotonic()
            result = run(f"{server.url}/plain/{path.name}", "--format", "json", CALIPERS_TIMEOUT="30")
            seconds = time.monotonic() - began
            report = json.loads(result.stdout) if result.returncode == 0 else {}
            name = "weights inline" if inline else "weights in a second file"
            print(f"{size / 1e9:.1f} GB, {name}, over 100 Mbit/s and 50 ms: {seconds:.2f} s, "
                  f"{server.requests} requests, {server.sent / 1e6:.2f} MB ({server.sent / size:.3%})")
            check(f"slow link, {name}", report.get("parameters", {}).get("total") == parameters, result.stderr)
            check(f"bytes, {name}", server.sent < 0.02 * size, server.sent)
            check(f"requests, {name}", server.requests < 330, server.requests)
            local = json.loads(run(path, "--format", "json").stdout)
            check(f"same report, {name}", report == local)
        path.unlink()


@contextlib.contextmanager
def s3():
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    try:
        host, port = server.get_host_and_port()
        yield f"http://{host}:{port}"
    finally:
        server.stop()


def buckets():
    import boto3

    with s3() as url:
        client = boto3.client("s3", endpoint_url=url, region_name="us-east-1", aws_access_key_id="KEY", aws_secret_access_key="HIDDEN")
        client.create_bucket(Bucket="models")
        client.upload_file(str(FIXTURES / MODEL), "models", f"vision/a b/{MODEL}")
        variables = {"AWS_ENDPOINT_URL": url, "AWS_ACCESS_KEY_ID": "KEY", "AWS_SECRET_ACCESS_KEY": "HIDDEN", "AWS_ALLOW_HTTP": "true"}
        address = f"s3://models/vision/a b/{MODEL}"
        local = run(FIXTURES / MODEL, "--format", "json").stdout
        result = run(address, "--format", "json", **variables)
        check("s3", result.returncode == 0 and result.stdout == local, result.stderr)
        aws = FOLDER / ".aws"
        aws.mkdir(exist_ok=True)
        (aws / "credentials").write_text("[ci]\naws_access_key_id = KEY\naws_secret_access_key = HIDDEN\n")
        (aws / "config").write_text(f"[profile ci]\nregion = eu-west-1\nendpoint_url = {url}\n")
        result = run(address, "--format", "json", AWS_PROFILE="ci")
        check("s3 profile", result.returncode == 0 and result.stdout == local, result.stderr)
        result = run("s3://models/none.onnx", **variables)
        check("s3 missing key", result.returncode == 1 and "no such file" in result.stderr, result.stderr)
        check("s3 secrets", "HIDDEN" not in result.stderr)
        external = FOLDER / "external.onnx"
        decoder(external, 2, 256, 512, inline=False)
        for file in (external, pathlib.Path(f"{external}.data")):
            client.upload_file(str(file), "models", f"text/{file.name}")
        report = json.loads(run("s3://models/text/external.onnx", "--format", "json", **variables).stdout)
        check("s3 data files", [file["status"] for file in report["model"]["data_files"]] == ["present"], report["model"])


def google():
    """The XML interface, which is that of S3."""
    import boto3

    local = run(FIXTURES / MODEL, "--format", "json").stdout
    with s3() as url:
        client = boto3.client("s3", endpoint_url=url, region_name="us-east-1", aws_access_key_id="KEY", aws_secret_access_key="HIDDEN")
        client.create_bucket(Bucket="models")
        client.upload_file(str(FIXTURES / MODEL), "models", f"vision/a b/{MODEL}", ExtraArgs={"ACL": "public-read"})
        for host in (url, url.removeprefix("http://")):
            result = run(f"gs://models/vision/a b/{MODEL}", "--format", "json", STORAGE_EMULATOR_HOST=host)
            check("gs", result.returncode == 0 and result.stdout == local, result.stderr)
        result = run("scan", "gs://models/vision", "-o", FOLDER / "google", STORAGE_EMULATOR_HOST=url)
        check("gs prefix", "Scanned 1 model " in result.stdout and "unreadable" not in result.stdout, result.stdout + result.stderr)
        result = run("gs://models/none.onnx", STORAGE_EMULATOR_HOST=url)
        check("gs missing key", result.returncode == 1 and "no such file" in result.stderr, result.stderr)


# The account and the key that Microsoft publishes for its emulator.
ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


@contextlib.contextmanager
def azurite():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [AZURITE, "--inMemoryPersistence", "--silent", "--skipApiVersionCheck", "--blobPort", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(300):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/{ACCOUNT}"
    finally:
        process.kill()
        process.wait()


def azure():
    if not AZURITE.exists():
        print("az: ignored, azurite is not installed")
        return
    from azure.storage.blob import BlobServiceClient, generate_container_sas

    local = run(FIXTURES / MODEL, "--format", "json").stdout
    with azurite() as url:
        service = BlobServiceClient(url, credential=KEY)
        service.create_container("models")
        service.get_blob_client("models", f"vision/a b/{MODEL}").upload_blob((FIXTURES / MODEL).read_bytes())
        signature = generate_container_sas(ACCOUNT, "models", account_key=KEY, permission="rl", expiry=datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1))
        text = f"AccountName={ACCOUNT};BlobEndpoint={url};"
        account = {"AZURE_STORAGE_ACCOUNT": ACCOUNT, "AZURE_STORAGE_ENDPOINT": url}
        logins = {
            "key": {**account, "AZURE_STORAGE_KEY": KEY},
            "signature": {**account, "AZURE_STORAGE_SAS_TOKEN": signature},
            "connection string": {"AZURE_STORAGE_CONNECTION_STRING": f"{text}AccountKey={KEY}"},
            "connection string with a signature": {"AZURE_STORAGE_CONNECTION_STRING": f"{text}SharedAccessSignature={signature}"},
        }
        for name, variables in logins.items():
            result = run(f"az://models/vision/a b/{MODEL}", "--format", "json", **variables)
            check(f"az with {name}", result.returncode == 0 and result.stdout == local, result.stderr)
            result = run("scan", "az://models/vision", "-o", FOLDER / f"azure {name}", **variables)
            check(f"az prefix with {name}", "Scanned 1 model " in result.stdout and "unreadable" not in result.stdout, result.stdout + result.stderr)
        wrong = KEY.replace("E", "F")
        result = run(f"az://models/vision/a b/{MODEL}", **{**account, "AZURE_STORAGE_KEY": wrong})
        check("az access", "access denied" in result.stderr and "AZURE_STORAGE_CONNECTION_STRING" in result.stderr, result.stderr)
        check("az secrets", wrong not in result.stderr)


def no_credentials():
    """A metadata service that does not answer is given up soon."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        began = time.monotonic()
        endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}"
        result = run("s3://models/m.onnx", AWS_METADATA_ENDPOINT=endpoint, CALIPERS_TIMEOUT="30")
        seconds = time.monotonic() - began
    check("no credentials", "no credentials were found" in result.stderr and "AWS_PROFILE" in result.stderr, result.stderr)
    check("no credentials, time", seconds < 5, seconds)


faults()
https()
changes_while_reading()
slow_link()
buckets()
google()
azure()
no_credentials()
sys.exit(conclude("remote models"))
