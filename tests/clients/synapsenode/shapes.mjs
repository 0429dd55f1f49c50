// What the contract promises of each kind of record.

import assert from 'node:assert/strict';
import {
  integers, isRecord, strings, succeeded,
} from '../harness/expect.mjs';

export function isUser(user) {
  isRecord(user);
  strings(user, ['permission', 'refresh_token']);
  strings(user.client, ['id', 'name']);
  strings(user.doc_status, ['physical_doc', 'virtual_doc']);
  for (const name of ['documents', 'emails', 'legal_names', 'logins', 'phone_numbers', 'photos']) {
    assert.ok(Array.isArray(user[name]), name);
  }
  user.documents.forEach(isDocument);
  integers(user.extra, ['cip_tag', 'date_joined', 'last_updated']);
  assert.equal(typeof user.extra.extra_security, 'boolean');
  assert.equal(typeof user.extra.is_business, 'boolean');
  assert.equal(user.extra.public_note, null);
  assert.equal(user.is_hidden, false);
}

function isDocument(document) {
  strings(document, ['id', 'name', 'permission_scope']);
  assert.match(document.id, /^[0-9a-f]{64}$/);
  assert.ok(document.social_docs.length > 0, 'there are no social_docs');
  for (const part of [...document.virtual_docs, ...document.social_docs, ...document.physical_docs]) {
    strings(part, ['document_type', 'id', 'status']);
    integers(part, ['last_updated']);
  }
}

export function isOauth(record, userId) {
  succeeded(record);
  strings(record, ['client_id', 'client_name', 'expires_at', 'oauth_key', 'refresh_token']);
  assert.equal(record.user_id, userId);
  assert.equal(record.expires_in, '7200');
  assert.equal(record.refresh_expires_in, 10);
  assert.ok(Array.isArray(record.scope), 'scope');
}

// A node of the type, with these texts in its `info`.
export function isNode(node, type, texts) {
  isRecord(node);
  assert.equal(node.type, type);
  strings(node, ['allowed', 'user_id']);
  strings(node.client, ['id', 'name']);
  strings(node.info, ['nickname', ...texts]);
  assert.equal(typeof node.is_active, 'boolean');
  assert.equal(typeof node.extra.other, 'object');
  assert.ok('supp_id' in node.extra && 'note' in node.extra, 'supp_id and note');
  assert.ok(node.timeline.length > 0, 'the timeline is empty');
  for (const entry of node.timeline) {
    integers(entry, ['date']);
    strings(entry, ['note']);
  }
}

export function isDeposit(node) {
  isNode(node, 'DEPOSIT-US', ['name_on_account']);
  assert.equal(node.allowed, 'CREDIT-AND-DEBIT');
  assert.equal(typeof node.info.balance.amount, 'number');
  assert.equal(node.info.balance.currency, 'USD');
}

export function isTransaction(transaction) {
  isRecord(transaction);
  assert.equal(transaction._v, 2);
  strings(transaction.client, ['id', 'name']);
  assert.equal(typeof transaction.amount.amount, 'number');
  strings(transaction.amount, ['currency']);
  integers(transaction.extra, ['created_on', 'process_on']);
  strings(transaction.extra, ['ip', 'latlon', 'note', 'supp_id']);
  assert.ok(Array.isArray(transaction.fees), 'fees');
  for (const party of [transaction.from, transaction.to]) {
    strings(party, ['id', 'nickname', 'type']);
    strings(party.user, ['_id']);
    assert.ok(Array.isArray(party.user.legal_names), 'legal_names');
  }
  for (const entry of [transaction.recent_status, ...transaction.timeline]) {
    integers(entry, ['date']);
    strings(entry, ['note', 'status', 'status_id']);
  }
  assert.equal(transaction.timeline.at(-1).status, transaction.recent_status.status);
}

export function isSubnet(subnet, node) {
  isRecord(subnet);
  strings(subnet, ['account_num', 'allowed', 'account_class', 'nickname']);
  strings(subnet.client, ['id', 'name']);
  strings(subnet.routing_num, ['ach', 'wire']);
  assert.equal(subnet.node_id, node._id);
  assert.equal(subnet.user_id, node.user_id);
}

export function isSubscription(subscription) {
  isRecord(subscription);
  integers(subscription, ['_v']);
  strings(subscription, ['client_id', 'url']);
  assert.equal(typeof subscription.is_active, 'boolean');
  assert.ok(subscription.scope.every((scope) => typeof scope === 'string'), 'scope');
}
