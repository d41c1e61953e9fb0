// A conversation with a running server, by the client that openapi-typescript generates.
//
// The lines after `@ts-expect-error` must not compile: they show that the types of the description are strict.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import createClient from "openapi-fetch";
import type { components, paths, webhooks } from "./api.d.ts";

type CreateEvent = components["schemas"]["CreateEvent"];
type Slot = components["schemas"]["Slot"];

const { SIGNUP_URL: baseUrl, SIGNUP_TOKEN: token } = process.env;
assert(baseUrl && token);
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });

/** Returns the body of a successful answer. Fails for any other answer. */
function body<T>(answer: { data?: T; error?: unknown; response: Response }): T {
    assert(answer.data, `${answer.response.status} ${JSON.stringify(answer.error)}`);
    return answer.data;
}

// A create needs only the fields that the API requires. A nullable field may also be null.
const small: CreateEvent = { title: "Food drive", start_date: "2027-06-05", timezone: "America/New_York" };
const full: CreateEvent = {
    ...small,
    description: null,
    location_data: { entrance: "Side door" },
    theme: "forest-green",
    is_published: true,
    shifts: [{ title: "Early", start_time: "09:00", end_time: null, capacity: 4 }],
};
// @ts-expect-error: the theme is one of the listed themes.
({ ...small, theme: "beige" }) satisfies CreateEvent;
// @ts-expect-error: the title is required.
({ start_date: "2027-06-05", timezone: "UTC" }) satisfies CreateEvent;

// A retry with the same key returns the first event.
const params = { header: { "Idempotency-Key": randomUUID() } };
const first = await client.POST("/v1/events", { params, body: full });
const retry = await client.POST("/v1/events", { params, body: full });
const event = body(first).data;
assert.equal(first.response.status, 201);
assert.equal(first.response.headers.get("Idempotent-Replay"), null);
assert.equal(retry.response.headers.get("Idempotent-Replay"), "true");
assert.deepEqual(body(retry).data, event);
const end: string | null = event.end_date;
assert.equal(end, null);

// Two pages of the list.
const draft = body(await client.POST("/v1/events", { body: small })).data;
assert.equal(draft.is_published, false);
const query = { per_page: 1 };
const pageOne = body(await client.GET("/v1/events", { params: { query } }));
const cursor = pageOne.meta.next_cursor;
assert(cursor !== null);
const pageTwo = body(await client.GET("/v1/events", { params: { query: { ...query, cursor } } }));
assert.equal(pageTwo.meta.next_cursor, null);
const listed = [...pageOne.data, ...pageTwo.data].map(({ id }) => id);
assert.deepEqual(listed.sort(), [draft.id, event.id].sort());
const drafts = body(await client.GET("/v1/events", { params: { query: { is_published: false } } }));
assert.deepEqual(drafts.data.map(({ id }) => id), [draft.id]);
// @ts-expect-error: the page length is a number.
const _mistyped = () => client.GET("/v1/events", { params: { query: { per_page: "1" } } });

// A change of a slot contains only the changed fields.
const [early] = event.slots;
assert(early);
const path = { id: early.id };
const slot: Slot = body(await client.PATCH("/v1/slots/{id}", { params: { path }, body: { capacity: 6 } })).data;
assert.deepEqual([slot.title, slot.capacity, slot.remaining], ["Early", 6, 6]);
const slots = await client.GET("/v1/events/{event_id}/slots", { params: { path: { event_id: event.id } } });
assert.deepEqual(body(slots).data, [slot]);

// A change of an event contains only the changed fields. Publishing needs no body.
const draftPath = { event_id: draft.id };
const move = { start_date: "2027-06-12", location: null };
const moved = body(await client.PATCH("/v1/events/{event_id}", { params: { path: draftPath }, body: move })).data;
assert.equal(moved.start_date, "2027-06-12T04:00:00+00:00");
const published = body(await client.POST("/v1/events/{event_id}/publish", { params: { path: draftPath } })).data;
assert.equal(published.is_published, true);

// The list of sign-ups takes a status and an address.
const people = { status: "confirmed", email: "ada@example.org" } as const;
assert.deepEqual(body(await client.GET("/v1/signups", { params: { query: people } })).data, []);

// A conflict has a code.
const reason = "The hall is flooded.";
const cancel = await client.POST("/v1/events/{event_id}/cancel", { params: { path: draftPath }, body: { reason } });
const cancelled = body(cancel).data;
assert.deepEqual([cancelled.is_published, cancelled.cancellation_reason], [true, reason]);
assert(cancelled.cancelled_at !== null);
const late = await client.PATCH("/v1/events/{event_id}", { params: { path: draftPath }, body: { title: "Late" } });
assert.equal(late.response.status, 409);
assert(late.error && "error" in late.error);
assert.equal(late.error.error, "event_cancelled");
const deleted = body(await client.DELETE("/v1/events/{event_id}", { params: { path: draftPath } })).data;
assert.deepEqual(deleted, { id: draft.id, deleted: true });

// A webhook has its secret only when it is created. A disabled one is tested, but nothing is delivered to it again.
const hook = { url: "https://receiver.example/hooks", types: ["signup.*"] };
const created = body(await client.POST("/v1/webhooks", { body: hook })).data;
assert(created.secret.startsWith("whsec_"));
const hookPath = { id: created.id };
const disable = { params: { path: hookPath }, body: { is_enabled: false } };
const disabled = body(await client.PATCH("/v1/webhooks/{id}", disable)).data;
assert(disabled.disabled_at !== null && !("secret" in disabled));
const test = body(await client.POST("/v1/webhooks/{id}/test", { params: { path: hookPath } })).data;
assert.equal(test.type, "webhook.test");
const pending = { path: hookPath, query: { state: "pending" } } as const;
const deliveries = body(await client.GET("/v1/webhooks/{id}/deliveries", { params: pending })).data;
assert.deepEqual(deliveries.map(({ id }) => id), [test.id]);
const again = await client.POST("/v1/deliveries/{id}/redeliver", { params: { path: { id: test.id } } });
assert(again.error && "error" in again.error);
assert.equal(again.error.error, "webhook_disabled");

// The body that a webhook gets is described, too.
type Payload = webhooks["activity"]["post"]["requestBody"]["content"]["application/json"];
({ type: "webhook.test", timestamp: test.created_at }) satisfies Omit<Payload, "data">;

// A validation error names each wrong field.
const refused = await client.POST("/v1/events", { body: { ...small, title: "", timezone: "Mars/Base" } });
assert.equal(refused.response.status, 422);
assert(refused.error && "errors" in refused.error);
assert.deepEqual(Object.keys(refused.error.errors).sort(), ["timezone", "title"]);
assert.equal(refused.error.errors["title"]?.length, 1);

// Every other error has a message.
const unknown = await client.GET("/v1/events/{event_id}/slots", { params: { path: { event_id: "unknown" } } });
assert.equal(unknown.response.status, 404);
assert.equal(unknown.error?.message, "Not found.");
