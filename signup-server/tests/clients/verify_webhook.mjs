// Verifies a webhook with the library of npm. Standard input has its headers and its body as JSON.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";

const { secret, headers, body } = JSON.parse(readFileSync(0, "utf8"));
const webhook = new Webhook(secret);
assert.equal(webhook.verify(body, headers).type, JSON.parse(body).type);
assert.throws(() => webhook.verify(`${body} `, headers), /No matching signature found/);
