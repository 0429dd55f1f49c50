#!/usr/bin/env python3
"""Verifies a signed call with the published package of Standard Webhooks, and as the original API documents it.

The call is tests/golden/webhooks/signed.json, which tests/it/golden/webhooks.rs writes with the code of the service."""
import hashlib
import hmac
import json
import pathlib
from datetime import datetime, timedelta, timezone
from unittest import mock

from standardwebhooks import webhooks

told = json.loads((pathlib.Path(__file__).parents[2] / "golden/webhooks/signed.json").read_text())
headers, body = told["headers"], told["body"]
sent_at = datetime.fromtimestamp(int(headers["webhook-timestamp"]), tz=timezone.utc)


def verify(secret, headers=headers, body=body, later=timedelta()):
    """Returns the call as the package verifies it `later` after sending, or None if it refuses the call."""
    class Clock(datetime):
        @classmethod
        def now(cls, tz=None):
            return sent_at + later

    with mock.patch.object(webhooks, "datetime", Clock):
        try:
            return webhooks.Webhook(secret).verify(body, headers)
        except webhooks.WebhookVerificationError:
            return None


checks = 0


def check(holds, what):
    global checks
    checks += 1
    assert holds, what


new, before = told["secret"], told["secret_before"]
for secret in (new, before):
    check(verify(secret) == json.loads(body), "both secrets are good while one is changed")
    check(verify(secret, later=timedelta(minutes=6)) is None, "a call that is sent again later is refused")
    check(verify(secret, body=body.replace("1", "2")) is None, "another body is refused")
    for name in ("webhook-id", "webhook-timestamp"):
        check(verify(secret, {**headers, name: headers[name][:-1] + "7"}) is None, f"another {name} is refused")
check(verify("whsec_" + "A" * 43 + "=") is None, "another secret is refused")

# Signatures as the documentation of the original API computes them.
key = told["client_secret"].encode()
raw = "{0}+{1}".format(json.loads(body)["_id"]["$oid"], told["client_id"]).encode()
for name, message, algorithm in (
    ("x-synapse-signature", raw, hashlib.sha1),
    ("x-synapse-signature-sha256", raw, hashlib.sha256),
    ("x-synapse-signature-sha256-fullbody", body.encode(), hashlib.sha256),
):
    check(headers[name] == hmac.new(key, message, algorithm).hexdigest(), name)
print(f"webhooks: {checks} checks of a signed call hold")
