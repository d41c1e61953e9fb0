"""Copies the sign-ups of all events into the file signups.json."""

import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request

API = "http://127.0.0.1:8080/v1"


def read(path):
    """Returns the response to a GET. Waits while the token has no requests left, and gives up after five 503."""
    failures = 0
    headers = {"Authorization": "Bearer " + os.environ["SIGNUP_TOKEN"]}
    request = urllib.request.Request(API + path, headers=headers)
    while True:
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            failures += error.code == 503
            if error.code not in (429, 503) or failures == 5:
                raise
            time.sleep(int(error.headers.get("Retry-After", "60")))


def records(path, **filters):
    """Yields the records on all pages of a list."""
    query = {"per_page": 100, **filters}
    while query.get("cursor", "") is not None:
        page = read(path + "?" + urllib.parse.urlencode(query))
        yield from page["data"]
        query["cursor"] = page["meta"]["next_cursor"]


def save(name, data):
    """Replaces a file in one step, so that no program reads a half of it."""
    with open(name + ".new", "w", encoding="utf-8") as file:
        json.dump(data, file, ensure_ascii=False, indent=2)
    os.replace(name + ".new", name)


if __name__ == "__main__":
    save("signups.json", list(records("/signups")))
