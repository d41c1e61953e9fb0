"""The conversation of an agent with a running server, by the client of the package `mcp`.

The server has one published event with the slots "Early" and "Late". Two people are signed up for "Early", and one person for
"Late". mypy checks the types.
"""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import httpx2
import mcp.client.session
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult

URL = os.environ["SIGNUP_URL"]
TOKEN = os.environ["SIGNUP_TOKEN"]

HANDSHAKES = ["2025-06-18", "2025-11-25"]
NEWEST = "2026-07-28"

READS_EVENTS = ["whoami", "list_events", "get_event", "list_questions"]
ALL_TOOLS = [
    "whoami", "list_events", "get_event", "create_event", "duplicate_event", "update_event", "publish_event",
    "unpublish_event", "cancel_event", "delete_event", "get_coverage", "list_coverage", "list_shifts", "add_shifts",
    "update_shift", "delete_shift", "list_signups", "list_volunteers", "list_questions", "add_question", "list_activity",
]  # fmt: skip

# The tools that were called with success.
called: set[str] = set()


class Agent:
    """A connected client with one token."""

    def __init__(self, client: Client, http: httpx2.AsyncClient, responses: list[httpx2.Response]) -> None:
        self.client = client
        self.http = http
        # The response to each POST of the client, and to each request of the API.
        self.responses = responses

    async def tools(self) -> list[str]:
        return [tool.name for tool in (await self.client.list_tools()).tools]

    async def result(self, tool: str, arguments: dict[str, Any]) -> tuple[bool, Any]:
        """Calls a tool. Returns whether it was refused, and its answer: one text with JSON."""
        result: CallToolResult = await self.client.call_tool(tool, arguments)
        [text] = result.content
        assert text.type == "text" and result.structured_content is None, result
        return bool(result.is_error), json.loads(text.text)

    async def call(self, tool: str, *, replayed: bool = False, **arguments: Any) -> Any:
        """Returns the answer of a call that succeeds, without the mark of a replay."""
        is_error, answer = await self.result(tool, arguments)
        assert not is_error, answer
        assert answer.pop("replayed", False) is replayed, answer
        called.add(tool)
        return answer

    async def refused(self, tool: str, **arguments: Any) -> Any:
        """Returns the answer of a call that is refused."""
        is_error, answer = await self.result(tool, arguments)
        assert is_error, answer
        return answer

    async def api(self, method: str, path: str, key: str | None = None, **body: Any) -> httpx2.Response:
        """Sends a request to the API with the same token."""
        headers = {"Idempotency-Key": key} if key else {}
        return await self.http.request(method, URL + "/v1" + path, headers=headers, json=body or None)


@asynccontextmanager
async def connected(token: str, version: str = NEWEST, url: str = URL) -> AsyncIterator[Agent]:
    """Connects with a version of the protocol. The newest one has no handshake."""
    if version in HANDSHAKES:
        # The client has no option for the version that it offers.
        setattr(mcp.client.session, "LATEST_HANDSHAKE_VERSION", version)
    responses: list[httpx2.Response] = []

    async def keep(response: httpx2.Response) -> None:
        await response.aread()
        responses.append(response)

    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, event_hooks={"response": [keep]}) as http:
        transport = streamable_http_client(url + "/mcp", http_client=http)
        async with Client(transport, mode="legacy" if version in HANDSHAKES else version) as client:
            assert client.protocol_version == version, client.protocol_version
            yield Agent(client, http, responses)


async def speaks(version: str) -> None:
    """Uses a version of the protocol: the handshake, the list, a read, a refusal, and an unknown tool."""
    async with connected(TOKEN, version) as agent:
        if version in HANDSHAKES:
            assert agent.client.server_info is not None and agent.client.server_info.name == "signup"
            assert agent.client.instructions is not None and "whoami" in agent.client.instructions
        assert await agent.tools() == ALL_TOOLS
        found = await agent.call("whoami")
        assert found["data"]["team"]["name"] == "Starter", found
        refused = await agent.refused("get_event", event_id="unknown")
        assert refused == {"message": "Not found. event_id must be the id of an event: see list_events."}
        try:
            answer = await agent.client.call_tool("sign_up", {})
            raise AssertionError(answer)
        except MCPError as error:
            assert error.code == -32602, error


async def sees_the_tools_of_its_scopes() -> None:
    """Lists what each token may call. A call of another tool is refused, and says what is missing."""
    async with connected(os.environ["SIGNUP_EVENTS_TOKEN"]) as agent:
        assert await agent.tools() == READS_EVENTS
        assert (await agent.call("list_events"))["data"][0]["title"] == "Food drive"
        refused = await agent.refused("create_event", title="Food drive", start_date="2027-06-05", timezone="UTC")
        assert refused == {"message": "Invalid ability provided.", "required_scope": "events:write"}
        assert await agent.refused("list_signups") == {
            "message": "Invalid ability provided.",
            "required_scope": "signups:read",
        }
    async with connected(os.environ["SIGNUP_OTHER_TOKEN"]) as agent:
        assert await agent.tools() == ["whoami", "list_activity"]
        found = (await agent.call("whoami"))["data"]
        assert (found["team"], found["token"]["scopes"]) == (None, ["activity:read"])


async def reads_what_the_api_answers(agent: Agent) -> None:
    """Calls each tool that reads. Its answer is the one of the API."""
    [listed] = (await agent.call("list_events", is_published=True))["data"]
    event = listed["id"]
    reads: list[tuple[str, dict[str, Any], str]] = [
        ("list_events", {"is_published": True, "per_page": 1}, "/events?is_published=true&per_page=1"),
        ("get_event", {"event_id": event}, f"/events/{event}"),
        ("get_coverage", {"event_id": event}, f"/events/{event}/coverage"),
        ("list_coverage", {"is_covered": False}, "/coverage?is_covered=false"),
        ("list_activity", {"type": "signup.*", "event_id": event}, f"/activity?type=signup.*&event_id={event}"),
        ("list_shifts", {"event_id": event}, f"/events/{event}/slots"),
        ("list_questions", {"event_id": event}, f"/events/{event}/questions"),
        (
            "list_signups",
            {"event_id": event, "status": "confirmed", "per_page": 2},
            f"/signups?event_id={event}&status=confirmed&per_page=2",
        ),
        ("list_volunteers", {"per_page": 2}, "/volunteers?per_page=2"),
    ]
    answers = {}
    for tool, arguments, path in reads:
        answers[tool] = await agent.call(tool, **arguments)
        assert answers[tool] == (await agent.api("GET", path)).json(), (tool, answers[tool])
    found = (await agent.call("whoami"))["data"]
    for part in ["token", "team"]:
        assert found[part] == (await agent.api("GET", f"/{part}")).json()["data"], found
    assert found["token"]["created_at"] <= found["now"] < found["token"]["expires_at"], found

    assert [slot["title"] for slot in answers["list_shifts"]["data"]] == ["Early", "Late"]
    coverage = answers["get_coverage"]["data"]
    assert (coverage["capacity"], coverage["filled"], coverage["is_covered"]) == (6, 3, False)
    assert (coverage["past_capacity"], coverage["past_filled"]) == (0, 0)
    [of_event] = answers["list_coverage"]["data"]
    assert {name: of_event[name] for name in coverage} == coverage and of_event["title"] == "Food drive"
    assert [entry["type"] for entry in answers["list_activity"]["data"]] == ["signup.created"] * 3
    page = answers["list_signups"]
    assert len(page["data"]) == 2 and page["data"][0]["email"].endswith("@example.org")
    rest = await agent.call("list_signups", event_id=event, per_page=2, cursor=page["meta"]["next_cursor"])
    assert len(rest["data"]) == 1 and rest["meta"]["next_cursor"] is None


async def makes_an_event(agent: Agent) -> None:
    """Calls each tool that writes and mails nobody."""
    slot = {"title": "Early", "start_time": "09:00", "end_time": "12:30", "capacity": 4}
    draft = (
        await agent.call("create_event", title="Cleanup", start_date="2027-04-03", timezone="UTC", shifts=[slot])
    )["data"]
    assert (draft["title"], draft["is_published"], len(draft["slots"])) == ("Cleanup", False, 1)
    added = await agent.call("add_shifts", event_id=draft["id"], shifts=[{"title": "Late", "start_time": "13:00", "capacity": 2}])
    assert [(slot["title"], slot["capacity"]) for slot in added["data"]] == [("Late", 2)]
    question = await agent.call("add_question", event_id=draft["id"], label="Size", type="select", options=["S", "M"])
    assert (question["data"]["label"], question["data"]["options"]) == ("Size", ["S", "M"])
    published = await agent.call("publish_event", event_id=draft["id"])
    assert published["data"]["is_published"] and published["data"]["public_url"].startswith(URL)
    unpublished = await agent.call("unpublish_event", event_id=draft["id"])
    assert not unpublished["data"]["is_published"]
    copy = (await agent.call("duplicate_event", event_id=draft["id"], start_date="2027-05-01"))["data"]
    assert copy["id"] != draft["id"] and copy["start_date"] == "2027-05-01T00:00:00+00:00"
    assert [slot["title"] for slot in copy["slots"]] == ["Early", "Late"]
    assert (await agent.api("GET", f"/events/{copy['id']}")).json() == {"data": copy}
    deleted = await agent.call("delete_event", event_id=copy["id"])
    assert deleted == {"data": {"id": copy["id"], "deleted": True}}
    assert "list_events" in (await agent.refused("delete_event", event_id=copy["id"]))["message"]


async def corrects_refused_arguments(agent: Agent) -> None:
    """Corrects the arguments that a refusal names, and no others, and calls again."""
    arguments: dict[str, Any] = {"start_date": "2027-02-30", "timezone": "Europe/Vienna", "location": "Hall 2"}
    corrections = {"title": "Concert", "start_date": "2027-02-28", "timezone": "UTC", "location": "Hall 3"}
    refused = await agent.refused("create_event", **arguments)
    assert set(refused["errors"]) == {"title", "start_date"}, refused
    assert refused["message"] == refused["errors"]["title"][0] + " (and 1 more error)", refused
    arguments |= {name: corrections[name] for name in refused["errors"]}
    made = (await agent.call("create_event", **arguments))["data"]
    assert (made["title"], made["timezone"], made["location"]) == ("Concert", "Europe/Vienna", "Hall 2")
    assert made["start_date"] == "2027-02-27T23:00:00+00:00"


async def repeats_a_write_with_the_same_key(agent: Agent) -> None:
    """Repeats a write with its key, by tool and by API, whichever comes first. The write happens once."""
    body: dict[str, Any] = {"title": "Sale", "start_date": "2027-07-03", "timezone": "UTC"}
    key = str(uuid4())
    made = await agent.call("create_event", idempotency_key=key, **body)
    assert await agent.call("create_event", replayed=True, idempotency_key=key, **body) == made
    replay = await agent.api("POST", "/events", key, **body)
    assert (replay.status_code, replay.headers["Idempotent-Replay"], replay.json()) == (201, "true", made)

    key = str(uuid4())
    posted = await agent.api("POST", "/events", key, **body)
    assert posted.status_code == 201 and "Idempotent-Replay" not in posted.headers
    assert await agent.call("create_event", replayed=True, idempotency_key=key, **body) == posted.json()
    assert posted.json()["data"]["id"] != made["data"]["id"]


async def mails_the_volunteers(agent: Agent) -> None:
    """Calls each tool that mails. Its preview says how many mails it will queue, its answer how many it did, and so does a replay."""
    [event] = (await agent.call("list_events", is_published=True))["data"]
    [early, late] = (await agent.call("list_shifts", event_id=event["id"]))["data"]
    event, slot, late = event["id"], early["id"], late["id"]
    writes: list[tuple[str, dict[str, Any], int, list[str], tuple[str, str]]] = [
        ("update_shift", {"slot_id": slot, "capacity": 5}, 0, ["capacity"], ("PATCH", f"/slots/{slot}")),
        ("update_shift", {"slot_id": slot, "start_time": "09:30"}, 2, ["start_time"], ("PATCH", f"/slots/{slot}")),
        ("update_event", {"event_id": event, "start_date": "2027-06-12"}, 3, ["start_date"], ("PATCH", f"/events/{event}")),
        ("delete_shift", {"slot_id": late, "cancel_signups": True, "reason": "No car."}, 1, [], ("DELETE", f"/slots/{late}")),
        ("cancel_event", {"event_id": event, "reason": "Rain."}, 2, [], ("POST", f"/events/{event}/cancel")),
    ]
    for tool, arguments, mails, changes, (method, path) in writes:
        key = str(uuid4())
        preview = await agent.call(tool, preview=True, idempotency_key=key, **arguments)
        assert preview == {"preview": True, "mails": mails, "changes": changes}, (tool, preview)
        answer = await agent.call(tool, idempotency_key=key, **arguments)
        assert answer["mails_queued"] == mails, (tool, answer)
        assert await agent.call(tool, replayed=True, idempotency_key=key, **arguments) == answer
        body = {name: value for name, value in arguments.items() if not name.endswith("_id")}
        replay = await agent.api(method, path, key, **({} if method == "DELETE" else body))
        assert replay.headers["Idempotent-Replay"] == "true"
        assert replay.json() == {"data": answer["data"]}, (tool, answer)
    assert answer["data"]["cancellation_reason"] == "Rain."


async def is_limited() -> None:
    """Sends as many requests as the plan allows in a minute, here 4, and one more."""
    url, token = os.environ["SIGNUP_LIMITED_URL"], os.environ["SIGNUP_LIMITED_TOKEN"]
    async with connected(token, "2025-11-25", url) as agent:
        await agent.tools()
        await agent.call("whoami")
        left = [int(response.headers["X-RateLimit-Remaining"]) for response in agent.responses]
        assert left == [3, 2, 1, 0], "the two requests of the handshake count, too"
        try:
            answer = await agent.client.call_tool("whoami", {})
            raise AssertionError(answer)
        except MCPError:
            refused = agent.responses[-1]
        api = await agent.http.get(url + "/v1/team")
    for response in [refused, api]:
        assert (response.status_code, response.json()) == (429, {"message": "Too Many Attempts."})
        assert (response.headers["X-RateLimit-Limit"], response.headers["X-RateLimit-Remaining"]) == ("4", "0")
        assert 1 <= int(response.headers["Retry-After"]) <= 60
    assert refused.headers["X-RateLimit-Reset"] == api.headers["X-RateLimit-Reset"]
    assert set(api.headers) <= set(refused.headers), refused.headers


async def main() -> None:
    for version in [*HANDSHAKES, NEWEST]:
        await speaks(version)
    await sees_the_tools_of_its_scopes()
    async with connected(TOKEN) as agent:
        await reads_what_the_api_answers(agent)
        await makes_an_event(agent)
        await corrects_refused_arguments(agent)
        await repeats_a_write_with_the_same_key(agent)
        await mails_the_volunteers(agent)
    assert called == set(ALL_TOOLS), set(ALL_TOOLS) - called
    await is_limited()


asyncio.run(main())
