"""Runs the GitHub action, the pre-commit hooks and the GitLab job without their services; run by scripts/action.

The steps of action.yml run in bash with the variables and files that a runner provides. A server on this machine is
the API: it keeps comments and records requests.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
AUTHOR = "github-actions[bot]"
PASSING = "macs <= +5%\r\n\n# a comment\n  interface compatible  \nno new error"
FAILING = "macs <= 1k\ninterface compatible"
checks = 0


def check(condition, what):
    global checks
    checks += 1
    if not condition:
        sys.exit(f"scripts/action: {what}")


class Api(BaseHTTPRequestHandler):
    """Comments of one pull request (GitHub) and notes of one merge request (GitLab)."""

    comments, requests, status = [], [], None

    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        Api.requests.append((self.command, self.path, body))
        token = self.headers.get("Authorization") or self.headers.get("PRIVATE-TOKEN")
        status, reply = Api.status or 200, {}
        path = self.path.split("?")[0]
        if status != 200:
            pass
        elif token not in ("Bearer secret", "secret"):
            status = 401
        elif path == "/user":
            reply = {"id": 7}
        elif self.command == "GET":
            page = int(re.search(r"[?&]page=(\d+)", self.path)[1])
            reply = Api.comments[(page - 1) * 100 : page * 100]
        elif self.command == "POST":
            Api.comments.append({"id": 1000 + len(Api.comments), "user": {"login": AUTHOR}, "author": {"id": 7}, **body})
        else:
            number = int(path.rsplit("/", 1)[1])
            next(comment for comment in Api.comments if comment["id"] == number).update(body)
        data = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PATCH = do_PUT = answer

    def log_message(self, *_):
        pass

    @staticmethod
    def reset(*comments, status=None):
        Api.comments[:] = comments
        Api.requests.clear()
        Api.status = status

    @staticmethod
    def methods():
        return [method for method, _, _ in Api.requests if method != "GET"]


def expression(text, context):
    """The value of `a.b`, `a == 'x'`, and of these joined with `&&`."""
    parts = [part.strip() for part in text.split("&&")]
    values = []
    for part in parts:
        left, _, right = part.partition("==")
        if not re.fullmatch(r"[\w.-]+", left.strip()):
            sys.exit(f"scripts/action: unknown expression {part!r}")
        value = context.get(left.strip(), "")
        values.append(value == right.strip().strip("'") if right else value)
    return values[0] if len(values) == 1 else all(values)


def filled(text, context):
    return re.sub(r"\$\{\{\s*(.*?)\s*\}\}", lambda match: str(expression(match[1], context)), str(text))


class Action:
    """action.yml, with steps that run in a folder of their own."""

    def __init__(self, folder, calipers, api):
        self.text = yaml.safe_load((ROOT / "action.yml").read_text())
        self.folder, self.calipers, self.api, self.count = folder, calipers, api, 0

    def check_metadata(self):
        check(self.text["runs"]["using"] == "composite", "the action must be composite")
        check(self.text["name"] and self.text["description"], "the action needs a name and a description")
        steps = self.text["runs"]["steps"]
        for step in steps:
            check(("run" in step) != ("uses" in step), f"a step runs or uses: {step}")
            if "run" in step:
                check(step.get("shell") == "bash", f"{step['name']}: a step of a composite action needs a shell")
                check("${{" not in step["run"], f"{step['name']}: text inside run would be executed")
        names = set(re.findall(r"inputs\.([\w-]+)", (ROOT / "action.yml").read_text()))
        check(names == set(self.text["inputs"]), f"inputs that are declared and used differ: {names ^ set(self.text['inputs'])}")
        return len(steps)

    def run(self, work, event="pull_request", **inputs):
        """Runs the steps; returns the exit status, the printed text, the summary and the outputs of the step `compare`."""
        self.count += 1
        state = self.folder / f"runner-{self.count}"
        state.mkdir()
        (state / "event.json").write_text(json.dumps({"pull_request": {"number": 5}}))
        (state / "summary").touch()
        context = {"github.event_name": event, "github.token": "secret"}
        for name, declared in self.text["inputs"].items():
            context[f"inputs.{name}"] = filled(declared.get("default", ""), context)
        inputs.setdefault("binary", str(self.calipers))
        context.update({f"inputs.{name.replace('_', '-')}": value for name, value in inputs.items()})
        outputs, printed, status = {}, "", 0
        for number, step in enumerate(self.text["runs"]["steps"]):
            if "if" in step and not expression(step["if"], context):
                continue
            if "uses" in step:
                uploaded = Path(filled(step["with"]["sarif_file"], context))
                check(json.loads(uploaded.read_text())["version"] == "2.1.0", "the SARIF file is not SARIF 2.1.0")
                printed += "uploaded SARIF\n"
                continue
            (state / f"output-{number}").touch()
            environment = {
                **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
                "GITHUB_ACTIONS": "true",
                "GITHUB_ACTION_PATH": str(ROOT),
                "GITHUB_API_URL": self.api,
                "GITHUB_REPOSITORY": "owner/name",
                "GITHUB_EVENT_PATH": str(state / "event.json"),
                "GITHUB_OUTPUT": str(state / f"output-{number}"),
                "GITHUB_STEP_SUMMARY": str(state / "summary"),
                "RUNNER_TEMP": str(state),
                **{name: filled(value, context) for name, value in step.get("env", {}).items()},
            }
            script = state / "step.sh"
            script.write_text(step["run"])
            command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
            ended = subprocess.run(command, cwd=work, env=environment, capture_output=True, text=True, timeout=60)
            printed += ended.stdout + ended.stderr
            written = dict(line.split("=", 1) for line in (state / f"output-{number}").read_text().splitlines())
            for name, value in written.items():
                context[f"steps.{step.get('id')}.outputs.{name}"] = value
            outputs.update(written if step.get("id") == "compare" else {})
            if ended.returncode != 0:
                status = ended.returncode
                break
        return status, printed, (state / "summary").read_text(), outputs


def check_github(action, work):
    steps = action.check_metadata()
    print(f"action.yml: {steps} steps, no text inside run")

    Api.reset()
    model = {"model": "model.onnx", "baseline": "baseline.json"}
    status, printed, summary, outputs = action.run(work, gates=PASSING, devices="l4, rpi5", sarif="true", **model)
    check(status == 0, f"gates that pass must exit with 0, not {status}: {printed}")
    comparison = json.loads(Path(outputs["json"]).read_text())
    check([gate["passed"] for gate in comparison["gates"]] == [True] * 3, "three gates must pass")
    devices = {figure["name"] for figure in comparison["figures"] if figure["name"].startswith("latency@")}
    check(devices == {"latency@l4", "latency@rpi5"}, f"the devices are {devices}")
    check(summary == Path(outputs["markdown"]).read_text(), "the summary must be the Markdown")
    check("uploaded SARIF" in printed, "the SARIF file must be uploaded")
    check(re.search(r"^::stop-commands::(\w{32})\n(?s:.*)^::\1::$", printed, re.MULTILINE), "output must not be executed")
    check(Api.methods() == ["POST"], f"one comment must be created: {Api.methods()}")
    check(Api.requests[-1][1] == "/repos/owner/name/issues/5/comments", "the comment belongs to the pull request")
    check(Api.comments[0]["body"] == summary, "the comment must be the Markdown")

    status, printed, summary, outputs = action.run(work, gates=FAILING, **model)
    check(status == 3, f"a gate that fails must exit with 3, not {status}: {printed}")
    check("gate failed: macs <= 1k" in printed, "the log must name the gate")
    check(outputs["status"] == "3" and "❌ `macs <= 1k`" in summary, "the summary must have the gate")
    check(Api.methods() == ["POST", "PATCH"], f"the comment must be updated: {Api.methods()}")
    check(len(Api.comments) == 1 and Api.comments[0]["body"] == summary, "the comment must be the new Markdown")
    check("uploaded SARIF" not in printed, "SARIF is uploaded on request")
    print("action: gates that pass exit with 0, one that fails with 3; the comment is created, then updated")

    # A comment of another account with the same marker, and ours on the second page.
    other = {"id": 1, "user": {"login": "someone"}, "body": summary}
    many = [{"id": 100 + i, "user": {"login": AUTHOR}, "body": "hello"} for i in range(120)]
    ours = {"id": 2, "user": {"login": AUTHOR}, "body": summary.replace("\n", "\r\n")}
    Api.reset(other, *many, ours)
    action.run(work, gates=PASSING, **model)
    check(Api.methods() == ["PATCH"] and Api.requests[-1][1].endswith("/comments/2"), "only our own comment is updated")
    Api.reset(status=403)
    status, printed, _, _ = action.run(work, gates=PASSING, **model)
    check(status == 0 and "::warning::calipers: no comment: HTTP status 403" in printed, "a refused comment is a warning")
    Api.reset()
    action.run(work, gates=PASSING, event="push", **model)
    action.run(work, gates=PASSING, comment="false", **model)
    check(Api.requests == [], "no comment outside pull requests, nor where none is wanted")
    print("action: comments of others stay unchanged, a refused comment is a warning")

    # Comments of more characters than GitHub takes: folded details, and a long list.
    for name, lines in [("folded", ["<details>", *["é" * 50] * 2000]), ("listed", ["- é"] * 30000)]:
        Api.reset()
        long = work / f"{name}.md"
        long.write_text("\n".join(["<!-- calipers compare a b -->", "verdict", *lines]) + "\n")
        environment = {
            **os.environ,
            "CALIPERS_MARKDOWN": str(long),
            "CALIPERS_TOKEN": "secret",
            "GITHUB_API_URL": action.api,
            "GITHUB_REPOSITORY": "owner/name",
            "GITHUB_EVENT_PATH": str(action.folder / "runner-1/event.json"),
        }
        subprocess.run([ROOT / "ci/compare", "comment"], env=environment, check=True, capture_output=True)
        body = Api.comments[0]["body"]
        check(body.startswith("<!-- calipers compare a b -->\nverdict\n"), "a long comment must begin with the verdict")
        check(len(body) < 65536 and "too long" in body and "<details>" not in body, "a long comment must be shortened")
    print("action: comments that are too long lose their details")

    status, printed, _, _ = action.run(work, model="model.onnx", config="demo/calipers.toml", baseline="baseline.json")
    check(status == 0, f"the gates of a file: {printed}")
    status, printed, _, _ = action.run(work, gates="mcas <= 1", **model)
    check(status == 2 and "did you mean `macs`?" in printed, f"a wrong gate must exit with 2, not {status}")
    status, _, _, _ = action.run(work, model="missing.onnx", gates="macs <= 1G")
    check(status == 1, f"a missing model must exit with 1, not {status}")
    check(action.run(work, model="", gates="macs <= 1G")[0] == 2, "a model must be named")
    check(action.run(work, binary="no-such-command", **model)[0] == 2, "a binary that is not there")
    check(action.run(work, weights="maybe", gates=PASSING, **model)[0] == 2, "weights is true or false")
    status, printed, _, outputs = action.run(work, weights="true", gates="weights unchanged", model="model.onnx", baseline="other.onnx")
    check(status == 0, f"weights must be compared: {printed}")

    hostile = "-$(touch executed)`touch executed`';touch executed;\"&.onnx"
    shutil.copy(work / "model.onnx", work / hostile)
    gates = "macs <= +5%\nno new error; touch executed\nnodes == same $(touch executed)\n--output=executed"
    for text in [*gates.split("\n"), gates]:
        action.run(work, model=hostile, baseline="baseline.json", gates=text, devices="$(touch executed)")
        action.run(work, model=hostile, baseline="baseline.json", gates=text)
    status, printed, _, _ = action.run(work, model=hostile, baseline="baseline.json", gates=PASSING)
    check(status == 0, f"a model of any name must be compared: {printed}")
    check(not list(action.folder.rglob("executed")), "text of an input was executed")
    check(action.run(work, binary="calipers\nstatus=0", **model)[0] == 2, "a line break in an input must not add an output")
    (work / hostile).unlink()
    print("action: wrong settings have their exit status; names and gates are never executed")


def check_pre_commit(folder, calipers, work):
    venv = Path(sys.executable).parent
    manifest = ROOT / ".pre-commit-hooks.yaml"
    subprocess.run([venv / "pre-commit", "validate-manifest", manifest], check=True)
    ids = [hook["id"] for hook in yaml.safe_load(manifest.read_text())]
    check(ids == ["calipers-check", "calipers-compare"], f"the hooks are {ids}")
    settings = ["user.name=test", "user.email=test@example.com", "core.autocrlf=false", "init.defaultBranch=main"]
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
        "CALIPERS": str(calipers),
        "PRE_COMMIT_HOME": str(folder / "pre-commit"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_COUNT": str(len(settings)),
    }
    for number, setting in enumerate(settings):
        environment[f"GIT_CONFIG_KEY_{number}"], environment[f"GIT_CONFIG_VALUE_{number}"] = setting.split("=")

    def repository(path, *names):
        subprocess.run(["git", "init", "--quiet", path], check=True, env=environment)
        subprocess.run(["git", "-C", path, "add", *names], check=True, env=environment)
        subprocess.run(["git", "-C", path, "commit", "--quiet", "-m", "files"], check=True, env=environment)

    # A small repository with the hooks: a clone of this one would take longer than the hooks.
    hooks = folder / "hooks"
    hooks.mkdir()
    shutil.copy(manifest, hooks)
    shutil.copytree(ROOT / "ci", hooks / "ci")
    repository(hooks, ".")
    models = folder / "models"
    models.mkdir()
    for name in ("a.onnx", "b c.onnx"):
        shutil.copy(work / "model.onnx", models / name)
    shutil.copy(work / "baseline.json", models)
    repository(models, ".")

    def hook(name, gates):
        (models / "calipers.toml").write_text(f'[defaults]\nbaseline = "baseline.json"\ngates = {json.dumps(gates)}\n')
        command = [venv / "pre-commit", "try-repo", hooks, name, "--verbose", "--files", "a.onnx", "b c.onnx"]
        ended = subprocess.run(command, cwd=models, env=environment, capture_output=True, text=True, timeout=120)
        return ended.returncode, ended.stdout + ended.stderr

    status, printed = hook("calipers-compare", ["macs <= +5%"])
    check(status == 0 and printed.count("passed macs") == 2, f"the hook must compare each model: {printed}")
    status, printed = hook("calipers-compare", ["macs <= 1k"])
    check(status != 0 and printed.count("gate failed: macs") == 2, f"the hook must fail for each model: {printed}")
    status, printed = hook("calipers-check", [])
    check(status == 0 and "b c.onnx" in printed, f"the hook must list findings: {printed}")
    print("pre-commit: the manifest is valid; calipers-check passes; calipers-compare passes, and fails with a gate")


def check_gitlab(folder, calipers, work, api):
    jobs = yaml.safe_load((ROOT / "ci/gitlab/calipers.yml").read_text())
    check(list(jobs) == ["calipers"], f"the jobs are {list(jobs)}")
    job = jobs["calipers"]
    check(all(isinstance(line, str) for key in ("before_script", "script") for line in job[key]), "lines must be strings")
    check({"if", "changes"} == set(job["rules"][0]), "the job runs where a model changed")
    check(job["artifacts"]["when"] == "always" and job["artifacts"]["paths"] == ["calipers-comparison/"], "artifacts")
    project = folder / "project"
    shutil.copytree(work, project)

    def run(gates, **more):
        variables = {name: value.replace("$CI_PROJECT_DIR", str(project)) for name, value in job["variables"].items()}
        environment = {
            **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
            **variables,
            "CI_API_V4_URL": api,
            "CI_PROJECT_ID": "12",
            "CI_MERGE_REQUEST_IID": "5",
            "CALIPERS_FOLDER": str(ROOT),
            "CALIPERS_BINARY": str(calipers),
            "CALIPERS_MODEL": "model.onnx",
            "CALIPERS_BASELINE": "baseline.json",
            "CALIPERS_GATES": gates,
            **more,
        }
        # GitLab joins the lines and stops at the first that fails.
        script = "\n".join(["set -eo pipefail", *job["before_script"], *job["script"]])
        ended = subprocess.run(["bash", "-c", script], cwd=project, env=environment, capture_output=True, text=True, timeout=60)
        return ended.returncode, ended.stdout + ended.stderr

    Api.reset()
    status, printed = run(PASSING)
    check(status == 0 and Api.requests == [], f"gates that pass must exit with 0, not {status}: {printed}")
    written = {path.name for path in (project / "calipers-comparison").iterdir()}
    check({"comparison.md", "comparison.sarif", "comparison.json"} <= written, f"the artifacts are {written}")
    check(run(PASSING, CALIPERS_TOKEN="secret")[0] == 0, "a run with a note")
    status, printed = run(FAILING, CALIPERS_TOKEN="secret")
    check(status == 3, f"a gate that fails must exit with 3, not {status}: {printed}")
    check(Api.methods() == ["POST", "PUT"], f"the note must be created, then updated: {Api.methods()}")
    check("❌" in Api.comments[0]["body"], "the note must be the new Markdown")
    print("gitlab: gates that pass exit with 0, one that fails with 3; the note is created, then updated")


def check_schemas():
    """The JSON Schemas that editors use for these files."""
    files = {
        "vendor.github-actions": ["action.yml"],
        "vendor.github-workflows": [str(path.relative_to(ROOT)) for path in sorted(ROOT.glob(".github/workflows/*.yml"))],
        "vendor.gitlab-ci": ["ci/gitlab/calipers.yml"],
    }
    for schema, names in files.items():
        command = [Path(sys.executable).parent / "check-jsonschema", "--builtin-schema", schema, *names]
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
        check(ended.returncode == 0, f"{names} do not follow {schema}: {ended.stdout}{ended.stderr}")
    print(f"schemas: {sum(map(len, files.values()))} files follow those of GitHub and GitLab")


def check_demo(action, folder, model):
    """The gates of ci/demo, as .github/workflows/compare.yml uses them."""
    demo = folder / "repository/ci/demo"
    shutil.copytree(ROOT / "ci/demo", demo)
    shutil.copy(model, demo)
    workflow = yaml.safe_load((ROOT / ".github/workflows/compare.yml").read_text())
    settings = next(step["with"] for step in workflow["jobs"]["demo"]["steps"] if step.get("uses") == "./")
    settings = {name: value for name, value in settings.items() if name != "binary"}
    status, printed, _, outputs = action.run(demo.parent.parent, **settings)
    check(status == 0, f"ci/demo: {printed}(if the report changed: scripts/action --baseline)")
    gates = json.loads(Path(outputs["json"]).read_text())["gates"]
    check(len(gates) >= 6, "the gates of the file must be judged")
    print(f"ci/demo: {len(gates)} gates pass with the settings of the workflow")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--calipers", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    arguments = parser.parse_args()
    folder, calipers = arguments.folder.resolve(), arguments.calipers.resolve()
    work = folder / "work"
    (work / "demo").mkdir(parents=True)
    for name in ("model.onnx", "other.onnx"):
        shutil.copy(arguments.model, work / name)
    shutil.copy(ROOT / "ci/demo/baseline.json", work)
    shutil.copy(ROOT / "ci/demo/calipers.toml", work / "demo")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    api = f"http://127.0.0.1:{server.server_port}"
    action = Action(folder, calipers, api)
    check_schemas()
    check_github(action, work)
    check_demo(action, folder, arguments.model)
    check_pre_commit(folder, calipers, work)
    check_gitlab(folder, calipers, work, api)
    print(f"scripts/action: {checks} checks passed")


if __name__ == "__main__":
    main()
