"""Keeps who comes to which slot in the file roster.json."""

import datetime
import os
import queue
import threading
import urllib.error
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks import Webhook, WebhookVerificationError
from sync_signups import read, records, save

webhook = Webhook(os.environ["WEBHOOK_SECRET"])
changed = queue.Queue()
roster = {}


class Receiver(BaseHTTPRequestHandler):
    """Answers at once. The work is done afterwards."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            changed.put(webhook.verify(body, dict(self.headers))["data"]["event_id"])
            self.send_response(204)
        except WebhookVerificationError:
            self.send_response(400)
        self.end_headers()


def update(event_id):
    """Reads an event and its sign-ups as they are now. So the order of the requests does not matter."""
    try:
        event = read("/events/" + event_id)["data"]
        people = list(records("/signups", event_id=event_id, status="confirmed"))
    except urllib.error.HTTPError as error:
        if error.code != 404:
            raise
        roster.pop(event_id, None)
    else:
        slots = []
        for slot in event["slots"]:
            names = [person["name"] for person in people if person["slot_id"] == slot["id"]]
            slots.append({"title": slot["title"], "start_time": slot["start_time"], "people": names})
        roster[event_id] = {"title": event["title"], "slots": slots}
    save("roster.json", roster)


server = ThreadingHTTPServer(("127.0.0.1", 9000), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
# In some time zones it is still yesterday.
yesterday = datetime.date.today() - datetime.timedelta(days=1)
for event in records("/events", **{"from": yesterday.isoformat()}):
    update(event["id"])
while True:
    if event_id := changed.get():
        update(event_id)
