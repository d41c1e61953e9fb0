"""Compares the slots of a camp and the calendars of its mails with the wall clock that was given.

The argument is a folder with `given.json` and the mails: `0.eml` for the first slot, if somebody signed up for it, and so on.
"""

import email
import email.policy
import json
import pathlib
import sys
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import icalendar


def instant(day, clock, zone):
    """Returns the instant of a wall time: in a gap, later by the gap; in a fold, the first of the two."""
    if clock == "24:00":
        day, clock = day + timedelta(days=1), "00:00"
    return datetime.combine(day, time.fromisoformat(clock), ZoneInfo(zone)).astimezone(UTC)


def is_changed(day, clock, zone):
    """Returns whether the clocks skip or repeat a wall time."""
    if clock == "24:00":
        return False
    wall = datetime.combine(day, time.fromisoformat(clock), ZoneInfo(zone))
    return wall.utcoffset() != wall.replace(fold=1).utcoffset()


def minutes(clock):
    """Returns the minutes since midnight."""
    hour, minute = clock.split(":")
    return 60 * int(hour) + int(minute)


folder = pathlib.Path(sys.argv[1])
given = json.loads((folder / "given.json").read_text())
order = []
nights = 0
changed = 0

for number, case in enumerate(given):
    slot, shift = case["slot"], case["shift"]
    day = date.fromisoformat(case["start_date"]) + timedelta(days=shift["day"] - 1)
    assert slot["local_date"] == day.isoformat(), (number, slot)
    assert (slot["day"], slot["ends_next_day"]) == (shift["day"], shift["ends_next_day"]), (number, slot)
    assert slot["local_start_time"] == shift["start_time"], (number, slot)
    assert slot["local_end_time"] == shift["end_time"], (number, slot)
    next_day = timedelta(days=shift["ends_next_day"])
    nights += shift["ends_next_day"]
    changed += is_changed(day, shift["start_time"], case["timezone"])
    changed += is_changed(day + next_day, shift["end_time"], case["timezone"])
    start = instant(day, shift["start_time"], case["timezone"])
    end = instant(day + next_day, shift["end_time"], case["timezone"])
    if end <= start:
        length = minutes(shift["end_time"]) - minutes(shift["start_time"])
        end = start + next_day + timedelta(minutes=length)
    times = [datetime.fromisoformat(slot[name]) for name in ("start_time", "end_time")]
    assert times == [start, end], (number, slot, start, end)
    order.append((start, end))
    if not case["is_mailed"]:
        continue
    raw = (folder / f"{number}.eml").read_bytes()
    mail = email.message_from_bytes(raw, policy=email.policy.strict)
    (attachment,) = mail.iter_attachments()
    (event,) = icalendar.Calendar.from_ical(attachment.get_payload(decode=True)).events
    assert [event.DTSTART, event.DTEND] == [start, end], (number, event)

assert order == sorted(order), "the slots are in running order"
assert nights > 100, nights
assert changed > 20, changed
print(len(given), "shifts")
