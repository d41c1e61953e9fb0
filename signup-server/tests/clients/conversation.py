"""A conversation with a running server, by the client that openapi-python-client generates.

mypy checks the types. It reports each `type: ignore` that is not needed, so the lines with `type: ignore` show that the
types of the description are strict.
"""

import os
from datetime import date
from uuid import uuid4

from signup_client import AuthenticatedClient
from signup_client.api.events import (
    cancel_event,
    create_event,
    delete_event,
    list_events,
    publish_event,
    update_event,
)
from signup_client.api.signups import list_signups
from signup_client.api.slots import list_slots, update_slot
from signup_client.api.webhooks import create_webhook, list_deliveries, redeliver, test_webhook, update_webhook
from signup_client.models import (
    CancelEvent,
    ConflictCode,
    ConflictError,
    CreateEvent,
    CreateSlot,
    CreateWebhook,
    DeletedResponse,
    DeliveryPage,
    DeliveryResponse,
    DeliveryState,
    Error,
    EventPage,
    EventResponse,
    LocationData,
    SignupPage,
    SignupStatus,
    SlotListResponse,
    SlotResponse,
    Theme,
    UpdateEvent,
    UpdateSlot,
    UpdateWebhook,
    ValidationError,
    WebhookResponse,
    WebhookWithSecretResponse,
)

client = AuthenticatedClient(base_url=os.environ["SIGNUP_URL"], token=os.environ["SIGNUP_TOKEN"])

# A create needs only the fields that the API requires. A nullable field may also be null.
small = CreateEvent(title="Food drive", start_date=date(2027, 6, 5), timezone="America/New_York")
full = CreateEvent(
    title="Food drive",
    description=None,
    start_date=date(2027, 6, 5),
    timezone="America/New_York",
    location_data=LocationData.from_dict({"entrance": "Side door"}),
    theme=Theme.FOREST_GREEN,
    is_published=True,
    shifts=[CreateSlot(title="Early", start_time="09:00", end_time=None, capacity=4)],
)

# A retry with the same key returns the first event.
key = str(uuid4())
first = create_event.sync_detailed(client=client, body=full, idempotency_key=key)
retry = create_event.sync_detailed(client=client, body=full, idempotency_key=key)
assert first.status_code == 201 and "Idempotent-Replay" not in first.headers
assert retry.status_code == 201 and retry.headers["Idempotent-Replay"] == "true"
assert isinstance(first.parsed, EventResponse) and first.parsed == retry.parsed
event = first.parsed.data
assert event.end_date is None
assert event.start_date.isoformat() == "2027-06-05T04:00:00+00:00"

# Two pages of the list.
created = create_event.sync(client=client, body=small)
assert isinstance(created, EventResponse)
draft = created.data
assert not draft.is_published
page_one = list_events.sync(client=client, per_page=1)
assert isinstance(page_one, EventPage) and page_one.meta.next_cursor is not None
page_two = list_events.sync(client=client, per_page=1, cursor=page_one.meta.next_cursor)
assert isinstance(page_two, EventPage) and page_two.meta.next_cursor is None
assert {listed.id for listed in page_one.data + page_two.data} == {draft.id, event.id}
drafts = list_events.sync(client=client, is_published=False)
assert isinstance(drafts, EventPage) and [listed.id for listed in drafts.data] == [draft.id]



def mistyped() -> None:
    list_events.sync(client=client, per_page="1")  # type: ignore[arg-type]
    CreateEvent(start_date=date(2027, 6, 5), timezone="UTC")  # type: ignore[call-arg]
    CreateSlot(title=None, capacity=4)  # type: ignore[arg-type]


# A change of a slot contains only the changed fields.
changed = update_slot.sync(event.slots[0].id, client=client, body=UpdateSlot(capacity=6))
assert isinstance(changed, SlotResponse)
assert (changed.data.title, changed.data.capacity, changed.data.remaining) == ("Early", 6, 6)
slots = list_slots.sync(event.id, client=client)
assert isinstance(slots, SlotListResponse) and slots.data == [changed.data]

# A change of an event contains only the changed fields. Publishing needs no body.
moved = update_event.sync(draft.id, client=client, body=UpdateEvent(start_date=date(2027, 6, 12), location=None))
assert isinstance(moved, EventResponse)
assert moved.data.start_date.isoformat() == "2027-06-12T04:00:00+00:00"
published = publish_event.sync(draft.id, client=client)
assert isinstance(published, EventResponse) and published.data.is_published

# The list of sign-ups takes a status and an address.
people = list_signups.sync(client=client, status=SignupStatus.CONFIRMED, email="ada@example.org")
assert isinstance(people, SignupPage) and people.data == []

# A conflict has a code.
cancelled = cancel_event.sync(draft.id, client=client, body=CancelEvent(reason="The hall is flooded."))
assert isinstance(cancelled, EventResponse)
assert cancelled.data.cancelled_at is not None
assert cancelled.data.cancellation_reason == "The hall is flooded."
late = update_event.sync(draft.id, client=client, body=UpdateEvent(title="Late"))
assert isinstance(late, ConflictError) and late.error == ConflictCode.EVENT_CANCELLED
deleted = delete_event.sync(draft.id, client=client)
assert isinstance(deleted, DeletedResponse)
assert deleted.data.id == draft.id and deleted.data.deleted

# A webhook has its secret only when it is created. A disabled one is tested, but nothing is delivered to it again.
hook = create_webhook.sync(client=client, body=CreateWebhook(url="https://receiver.example/hooks", types=["signup.*"]))
assert isinstance(hook, WebhookWithSecretResponse) and hook.data.secret.startswith("whsec_")
disabled = update_webhook.sync(hook.data.id, client=client, body=UpdateWebhook(is_enabled=False))
assert isinstance(disabled, WebhookResponse) and disabled.data.disabled_at is not None
test = test_webhook.sync(hook.data.id, client=client)
assert isinstance(test, DeliveryResponse) and test.data.type_ == "webhook.test"
pending = list_deliveries.sync(hook.data.id, client=client, state=DeliveryState.PENDING)
assert isinstance(pending, DeliveryPage) and [delivery.id for delivery in pending.data] == [test.data.id]
again = redeliver.sync(test.data.id, client=client)
assert isinstance(again, ConflictError) and again.error == ConflictCode.WEBHOOK_DISABLED

# A validation error names each wrong field.
small.title, small.timezone = "", "Mars/Base"
refused = create_event.sync_detailed(client=client, body=small)
assert refused.status_code == 422 and isinstance(refused.parsed, ValidationError)
assert set(refused.parsed.errors.additional_keys) == {"title", "timezone"}
assert len(refused.parsed.errors["title"]) == 1

# Every other error has a message.
unknown = list_slots.sync("unknown", client=client)
assert isinstance(unknown, Error) and unknown.message == "Not found."
