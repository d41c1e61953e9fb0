"""Reads mails with a policy that raises on every defect, and their calendars. Compares both with what was given.

The argument is a folder with the mails `0.eml`, `1.eml` and so on, and with `expected.json`.
"""

import email
import email.policy
import json
import pathlib
import sys

import icalendar

# Before 3.12.9, Python keeps a space between the encoded words of a long name.
KEEPS_SPACES = sys.version_info < (3, 12, 9)


def raw_header(raw, name):
    """Returns the lines of a header as they are in the mail."""
    head = raw.partition(b"\r\n\r\n")[0].replace(b"\r\n ", b" ")
    (line,) = [line for line in head.split(b"\r\n") if line.startswith(name.encode() + b": ")]
    return line


def escaped(text):
    """Escapes a text as the HTML of a mail does."""
    return "".join(f"&#{ord(sign)};" if sign in "<>&\"'" else sign for sign in text)


folder = pathlib.Path(sys.argv[1])
expected = json.loads((folder / "expected.json").read_text())

for number, given in enumerate(expected):
    raw = (folder / f"{number}.eml").read_bytes()
    assert raw.isascii() and b"\n" not in raw.replace(b"\r\n", b""), number
    for line in raw.split(b"\r\n"):
        assert len(line) <= 76, (number, line)
    mail = email.message_from_bytes(raw, policy=email.policy.strict)
    for name, value in mail.items():
        assert not value.defects, (number, name, value.defects)
    for header, (name, address) in {
        "From": given["from"],
        "To": given["to"],
        "Reply-To": ["", given["reply_to"]],
    }.items():
        (found,) = mail[header].addresses
        shown = found.display_name
        if KEEPS_SPACES and raw_header(raw, header).count(b"=?utf-8?b?") > 1:
            shown, name = shown.replace(" ", ""), name.replace(" ", "")
        assert shown == name, (number, header, found)
        assert found.addr_spec == address, (number, header, found)
    assert mail["Subject"] == given["subject"], (number, mail["Subject"])
    for part in mail.walk():
        assert not part.defects, (number, part.defects)
    plain, html = [mail.get_body([kind]).get_content() for kind in ("plain", "html")]
    name, location = given["to"][0], given["location"]
    assert f"Hello {name},\r\n" in plain and f"Where: {location}\r\n" in plain, (number, plain)
    assert f"Hello {escaped(name)},</p>" in html and escaped(location) in html, (number, html)

    (attachment,) = mail.iter_attachments()
    text = attachment.get_payload(decode=True)
    assert attachment.get_filename() == "shifts.ics" and attachment.get_param("method") == "PUBLISH"
    for line in text.split(b"\r\n"):
        assert len(line) <= 75, (number, line)
    calendar = icalendar.Calendar.from_ical(text)
    (event,) = calendar.events
    assert not calendar.errors and not event.errors, (number, calendar.errors, event.errors)
    assert event["SUMMARY"] == given["summary"], (number, event["SUMMARY"])
    assert event["LOCATION"] == given["location"], (number, event["LOCATION"])
    organizer = event["ORGANIZER"]
    assert (organizer.params["CN"], str(organizer)) == (given["from"][0], "mailto:help@example.org"), number

print(len(expected), "mails")
