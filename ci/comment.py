"""Creates or updates the comment of a pull request (GitHub) or merge request (GitLab); run by ci/compare.

The comment is standard input. Its first line is a marker, the same for the same models: a comment of the same account
that begins with it is updated. A comment of another account is left unchanged, since its author could edit the result.
A request that fails is a warning, not an error: the result is also in the job summary, and gates decide the status.
"""

import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request

PER_PAGE = 100
# More comments than any real pull request has.
MAX_PAGES = 50


def request(method, url, headers, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json", "User-Agent": "calipers", **headers}
    call = urllib.request.Request(url, data=data, headers=headers, method=method)
    with urllib.request.urlopen(call, timeout=30) as reply:
        return json.load(reply)


def comments(url, headers):
    for page in range(1, MAX_PAGES + 1):
        batch = request("GET", f"{url}?per_page={PER_PAGE}&page={page}", headers)
        yield from batch
        if len(batch) < PER_PAGE:
            return


def github(environment):
    """The address of the comments, that of one comment, the headers, the method to update, and whose comments are ours."""
    with open(environment["GITHUB_EVENT_PATH"], encoding="utf-8") as file:
        event = json.load(file)
    number = int(event["pull_request"]["number"])
    api = environment.get("GITHUB_API_URL", "https://api.github.com")
    issues = f"{api}/repos/{environment['GITHUB_REPOSITORY']}/issues"
    headers = {"Authorization": f"Bearer {environment['CALIPERS_TOKEN']}", "Accept": "application/vnd.github+json"}
    author = environment.get("CALIPERS_COMMENT_AUTHOR") or "github-actions[bot]"
    return (
        f"{issues}/{number}/comments",
        f"{issues}/comments",
        headers,
        "PATCH",
        lambda comment: (comment.get("user") or {}).get("login") == author,
    )


def gitlab(environment):
    api = environment["CI_API_V4_URL"]
    project = urllib.parse.quote(environment["CI_PROJECT_ID"], safe="")
    notes = f"{api}/projects/{project}/merge_requests/{int(environment['CI_MERGE_REQUEST_IID'])}/notes"
    headers = {"PRIVATE-TOKEN": environment["CALIPERS_TOKEN"]}
    account = request("GET", f"{api}/user", headers)["id"]
    return notes, notes, headers, "PUT", lambda comment: (comment.get("author") or {}).get("id") == account


def post(body, environment):
    """Returns what was done."""
    marker = body.split("\n", 1)[0]
    if not marker.startswith("<!-- calipers compare "):
        raise ValueError("the text has no marker")
    service = gitlab if "CI_API_V4_URL" in environment else github
    listing, one, headers, update, is_ours = service(environment)
    for comment in comments(listing, headers):
        # Services change line breaks to those of the web.
        first = (comment.get("body") or "").split("\n", 1)[0].rstrip("\r")
        if first == marker and is_ours(comment):
            request(update, f"{one}/{int(comment['id'])}", headers, {"body": body})
            return "updated"
    request("POST", listing, headers, {"body": body})
    return "created"


def main():
    try:
        print(f"calipers: comment {post(sys.stdin.read(), os.environ)}")
    except urllib.error.HTTPError as error:
        hint = "; the job needs write permission on pull requests, which forks do not get" if error.code in (401, 403) else ""
        print(f"::warning::calipers: no comment: HTTP status {error.code}{hint}")
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"::warning::calipers: no comment: {type(error).__name__}")


if __name__ == "__main__":
    main()
