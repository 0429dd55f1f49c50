#!/usr/bin/env python3
"""Creates a user with nodes, a payment and other records that paths name, and prints Schemathesis' settings for them.

  world.py BASE_URL > schemathesis.toml"""
import json
import sys
import urllib.request

BASE_URL = sys.argv[1].rstrip("/") + "/v3.1"
CLIENT_ID = "client_id_dev"
PLATFORM = f"{CLIENT_ID}|client_secret_dev"
OPERATOR = "operator_id_00000000000000000000000001|operator_secret_dev_1"
DEVICE = "device-1"
USER = {"logins": [{"email": "ada@example.com"}], "phone_numbers": ["901.111.1111"], "legal_names": ["Ada Example"]}
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def post(path, body, user=f"|{DEVICE}"):
    headers = {"X-SP-GATEWAY": PLATFORM, "X-SP-USER": user, "Content-Type": "application/json"}
    request = urllib.request.Request(BASE_URL + path, json.dumps(body).encode(), headers)
    return json.load(opener.open(request, timeout=30))


user = post("/users", USER)
user_id = user["_id"]
post(f"/sandbox/users/{user_id}/verify", {"permission": "SEND-AND-RECEIVE"})
key = post(f"/oauth/{user_id}", {"refresh_token": user["refresh_token"]})["oauth_key"]
own = f"{key}|{DEVICE}"
node_id, other = (post(f"/users/{user_id}/nodes", {"type": "DEPOSIT-US", "info": {"nickname": name}}, own)["nodes"][0]["_id"]
                  for name in ("Checking", "Savings"))
post(f"/sandbox/nodes/{node_id}/credit", {"amount": {"amount": 100, "currency": "USD"}})
payment = {"to": {"type": "DEPOSIT-US", "id": other}, "amount": {"amount": 1, "currency": "USD"}, "extra": {"ip": "127.0.0.1"}}
trans_id = post(f"/users/{user_id}/nodes/{node_id}/trans", payment, own)["_id"]
subnet_id = post(f"/users/{user_id}/nodes/{node_id}/subnets", {"nickname": "Rent"}, own)["_id"]
hook = {"url": "http://localhost:9/hook", "scope": ["TRANS|POST"]}
subscription_id = post("/subscriptions", hook)["_id"]

print(f'headers = {{ "X-SP-GATEWAY" = "{PLATFORM}", "X-SP-USER" = "{own}", "X-SP-OPERATOR" = "{OPERATOR}" }}')
named = {"user_id": user_id, "node_id": node_id, "trans_id": trans_id, "subnet_id": subnet_id,
         "subscription_id": subscription_id, "platform": CLIENT_ID}
print("[parameters]")
for name, value in named.items():
    print(f'"path.{name}" = "{value}"')
