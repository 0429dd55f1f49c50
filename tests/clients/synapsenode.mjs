// synapsenode 1.2.17 as its users have it, against a running Daybook: only `client.host` is set.
//
// Walks one user from the first call to a settled payment and checks the fields that the contract promises on the
// way. Environment: BASE_URL (without /v3.1), CLIENT_ID, CLIENT_SECRET. Exit code 1 if a step failed.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'synapsenode';

const { BASE_URL, CLIENT_ID = 'client_id_dev', CLIENT_SECRET = 'client_secret_dev' } = process.env;
assert.ok(BASE_URL, 'BASE_URL is not set');

const HOST = `${BASE_URL.replace(/\/+$/, '')}/v3.1`;
const IP = '127.0.0.1';
const SSN = '111-11-2222'; // ends in 2222: verified by the sandbox
const SCOPES = [
  'USER|PATCH', 'USER|GET', 'NODES|POST', 'NODES|GET', 'NODE|GET', 'NODE|PATCH', 'NODE|DELETE',
  'TRANS|POST', 'TRANS|GET', 'TRAN|GET', 'TRAN|PATCH', 'TRAN|DELETE',
];
const VERIFIED_WITHIN_MS = 30_000;
const SETTLED_WITHIN_MS = 60_000;

const client = new Client({
  client_id: CLIENT_ID,
  client_secret: CLIENT_SECRET,
  fingerprint: 'e83cf6ddcf778e37bfe3d48fc78a6502062fc',
  ip_address: IP,
  isProduction: false,
});
client.host = HOST;

const newUser = {
  logins: [{ email: 'maria.silva@example.com' }],
  phone_numbers: ['901.111.1111'],
  legal_names: ['Maria Silva'],
  documents: [{
    email: 'maria.silva@example.com',
    phone_number: '901.111.1111',
    ip: IP,
    name: 'Maria Silva',
    alias: 'Maria',
    entity_type: 'F',
    entity_scope: 'Arts & Entertainment',
    day: 2,
    month: 5,
    year: 1989,
    address_street: '1 Market St',
    address_city: 'San Francisco',
    address_subdivision: 'CA',
    address_postal_code: '94105',
    address_country_code: 'US',
    virtual_docs: [{ document_value: SSN, document_type: 'SSN' }],
  }],
  extra: { supp_id: 'maria-1', cip_tag: 1, is_business: false },
};

const payment = (amount, to) => ({
  to: { type: 'DEPOSIT-US', id: to },
  amount: { amount, currency: 'USD' },
  extra: { ip: IP, supp_id: 'rent-1', note: 'Rent for May' },
});

// What the steps hand on. Reading what no step has written means that the step before failed.
const world = new Proxy({}, {
  get: (kept, name) => (name in kept ? kept[name] : assert.fail(`not run: there is no ${name}`)),
});

const steps = {
  async 'create a user with documents'() {
    const user = await client.createUser(newUser, IP);
    isUser(user.body);
    assert.equal(user.body.permission, 'UNVERIFIED');
    assert.deepEqual(user.body.legal_names, newUser.legal_names);
    assert.deepEqual(user.body.phone_numbers, newUser.phone_numbers);
    assert.deepEqual(user.body.logins, [{ email: newUser.logins[0].email, scope: 'READ_AND_WRITE' }]);
    assert.equal(user.body.extra.supp_id, 'maria-1');
    assert.equal(user.body.documents.length, 1);
    assert.match(user.body.documents[0].id, /^[0-9a-f]{64}$/);
    assert.deepEqual(user.body.documents[0].virtual_docs.map((doc) => doc.document_type), ['SSN']);
    assert.ok(!JSON.stringify(user.body).includes(SSN), 'the answer holds the SSN');
    world.user = user;
  },

  async 'the client did OAuth by itself, and the record is whole'() {
    const { user } = world;
    assert.ok(user.oauth_key, 'there is no OAuth key');
    const oauth = await user._oauthUser({ refresh_token: user.body.refresh_token });
    succeeded(oauth);
    strings(oauth, ['client_id', 'client_name', 'expires_at', 'oauth_key', 'refresh_token']);
    assert.equal(oauth.user_id, user.id);
    assert.equal(oauth.expires_in, '7200');
    assert.equal(oauth.refresh_expires_in, 10);
    for (const scope of SCOPES) assert.ok(oauth.scope.includes(scope), `the scope ${scope} is missing`);
  },

  async 'wait for the permission SEND-AND-RECEIVE'() {
    const user = await until(
      VERIFIED_WITHIN_MS,
      () => client.getUser(world.user.id),
      ({ body }) => body.permission === 'SEND-AND-RECEIVE',
    );
    isUser(user.body);
    const [document] = user.body.documents;
    for (const part of [...document.virtual_docs, ...document.social_docs]) {
      assert.equal(part.status, 'SUBMITTED|VALID', part.document_type);
    }
    await leadsToItself(user.body);
    world.user = user;
  },

  async 'create two DEPOSIT-US nodes'() {
    const first = await createNode({ type: 'DEPOSIT-US', info: { nickname: 'Checking' } });
    assert.equal(first.info.nickname, 'Checking');
    assert.equal(first.extra.supp_id, null);
    const second = await createNode({
      type: 'DEPOSIT-US', info: { nickname: 'Savings' }, extra: { supp_id: 'savings-1' },
    });
    assert.equal(second.extra.supp_id, 'savings-1');
    assert.notEqual(first._id, second._id);
    Object.assign(world, { first: first._id, second: second._id });
  },

  async 'credit the first node in the sandbox'() {
    // synapsenode has no call for it.
    const response = await fetch(`${HOST}/sandbox/nodes/${world.first}/credit`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-SP-GATEWAY': `${CLIENT_ID}|${CLIENT_SECRET}` },
      body: '{"amount": {"amount": 100.00, "currency": "USD"}}',
    });
    const credit = await response.json();
    assert.equal(response.status, 200, JSON.stringify(credit));
    isTransaction(credit);
    assert.equal(credit.recent_status.status, 'SETTLED');
    assert.equal(await balanceOf(world.first), 100);
    world.credit = credit._id;
  },

  async 'pay 12.34 from the first node to the second'() {
    const { user, first, second } = world;
    const key = randomUUID();
    const { status, data } = await user.createTransaction(first, payment(12.34, second), key);
    assert.equal(status, 200);
    isTransaction(data);
    assert.deepEqual(data.amount, { amount: 12.34, currency: 'USD' });
    assert.equal(data.recent_status.status, 'CREATED');
    assert.equal(data.recent_status.status_id, '1');
    assert.equal(data.timeline.length, 1);
    isParty(data.from, first, 'Checking');
    isParty(data.to, second, 'Savings');
    assert.equal(data.extra.ip, IP);
    assert.equal(data.extra.latlon, '0,0');
    assert.equal(data.extra.note, 'Rent for May');
    assert.equal(data.extra.supp_id, 'rent-1');
    assert.deepEqual(data.fees, []);
    Object.assign(world, { key, payment: data });
  },

  async 'the same idempotency key again is refused'() {
    const { user, first, second, key } = world;
    for (const [amount, samePayload] of [[12.34, true], [1, false]]) {
      const refused = await refusal(user.createTransaction(first, payment(amount, second), key));
      assert.equal(refused.status, 409);
      assert.equal(refused.data.http_code, '409');
      assert.equal(refused.data.error_code, '400');
      assert.equal(refused.data.success, false);
      strings(refused.data.error, ['en', 'code']);
      assert.equal(refused.data.error.original_id, world.payment._id);
      assert.equal(refused.data.error.same_payload, samePayload);
    }
    // From here on the client sends that key with every call, also with GET and PATCH: once given, its headers keep
    // it. Only a POST may heed it.
    assert.equal(user.headers['X-SP-IDEMPOTENCY-KEY'], key);
  },

  async 'wait until it is settled'() {
    const { user, first } = world;
    const { data } = await until(
      SETTLED_WITHIN_MS,
      () => user.getTransaction(first, world.payment._id),
      (answer) => answer.data.recent_status.status === 'SETTLED',
    );
    assert.equal(data.recent_status.status_id, '4');
    const passed = data.timeline.map(({ status, status_id: id }) => `${id} ${status}`);
    assert.deepEqual(passed, ['1 CREATED', '2 PROCESSING-DEBIT', '3 PROCESSING-CREDIT', '4 SETTLED']);
    const dates = data.timeline.map(({ date }) => date);
    assert.deepEqual(dates, dates.toSorted((a, b) => a - b), 'the timeline goes back in time');
    world.settled = data;
  },

  async 'both balances have moved'() {
    assert.equal(await balanceOf(world.first), 87.66);
    assert.equal(await balanceOf(world.second), 12.34);
  },

  async 'get the transaction, as sender and as receiver'() {
    const { user, first, second, settled } = world;
    const asSender = (await user.getTransaction(first, settled._id)).data;
    isTransaction(asSender);
    await leadsToItself(asSender);
    const asReceiver = (await user.getTransaction(second, settled._id)).data;
    isTransaction(asReceiver);
    assert.equal(asReceiver._id, settled._id);
  },

  async 'list the transactions of the user'() {
    const { user, credit, settled } = world;
    const { data } = await user.getUserTransactions();
    isPage(data, 'trans', 'trans_count', { page: 1, page_count: 1, limit: 20, count: 2 });
    assert.deepEqual(idsOf(data.trans), [credit, settled._id].toSorted());

    const pages = [];
    for (const page of [1, 2]) {
      const answer = (await user.getUserTransactions({ page, per_page: 1 })).data;
      isPage(answer, 'trans', 'trans_count', { page, page_count: 2, limit: 1, count: 2 });
      pages.push(...answer.trans);
    }
    assert.deepEqual(idsOf(pages), [credit, settled._id].toSorted());
  },

  async 'comment on its status'() {
    const { user, first, settled } = world;
    const { data } = await user.commentOnStatus(first, settled._id, { comment: 'Thank you.' });
    isTransaction(data);
    assert.equal(data.recent_status.status, 'SETTLED');
    assert.equal(data.recent_status.note, `${settled.recent_status.note} Thank you.`);
    assert.equal(data.timeline.at(-1).note, `${settled.timeline.at(-1).note} Thank you.`);
    assert.deepEqual(data.timeline.slice(0, -1), settled.timeline.slice(0, -1));
    const again = (await user.getTransaction(first, settled._id)).data;
    assert.equal(again.recent_status.note, data.recent_status.note);
  },

  async 'list nodes by type'() {
    const { user, first, second } = world;
    const deposits = (await user.getAllUserNodes({ type: 'DEPOSIT-US' })).data;
    isPage(deposits, 'nodes', 'node_count', { page: 1, page_count: 1, limit: 20, count: 2 });
    deposits.nodes.forEach(isDeposit);
    assert.deepEqual(idsOf(deposits.nodes), [first, second].toSorted());

    const banks = (await user.getAllUserNodes({ type: 'ACH-US' })).data;
    succeeded(banks);
    assert.deepEqual([banks.nodes, banks.node_count], [[], 0]);
  },

  async 'list nodes page by page'() {
    const { user, first, second } = world;
    const pages = [];
    for (const page of [1, 2]) {
      const { data } = await user.getAllUserNodes({ page, per_page: 1 });
      isPage(data, 'nodes', 'node_count', { page, page_count: 2, limit: 1, count: 2 });
      pages.push(...data.nodes);
    }
    assert.deepEqual(idsOf(pages), [first, second].toSorted());

    const pastTheEnd = (await user.getAllUserNodes({ page: 3, per_page: 1 })).data;
    succeeded(pastTheEnd);
    assert.deepEqual([pastTheEnd.nodes, pastTheEnd.node_count], [[], 2]);
  },
};

// --- what the contract promises of each kind of answer ---

function succeeded(body) {
  assert.equal(body.error_code, '0');
  assert.equal(body.http_code, '200');
  assert.ok(!('error' in body), 'a success holds the key "error"');
}

function strings(object, names) {
  for (const name of names) assert.equal(typeof object[name], 'string', name);
}

function integers(object, names) {
  for (const name of names) assert.ok(Number.isInteger(object[name]), `${name} is ${object[name]}`);
}

function isRecord(record) {
  strings(record, ['_id']);
  assert.ok(URL.canParse(record._links.self.href), `${record._links.self.href} is not absolute`);
  strings(record.client, ['id', 'name']);
}

function isUser(user) {
  succeeded(user);
  isRecord(user);
  strings(user, ['permission', 'refresh_token']);
  strings(user.doc_status, ['physical_doc', 'virtual_doc']);
  for (const name of ['documents', 'emails', 'legal_names', 'logins', 'phone_numbers', 'photos']) {
    assert.ok(Array.isArray(user[name]), name);
  }
  for (const document of user.documents) {
    strings(document, ['id', 'name', 'permission_scope']);
    assert.ok(Array.isArray(document.physical_docs), 'physical_docs');
    assert.ok(document.social_docs.length > 0, 'there are no social_docs');
    for (const part of [...document.virtual_docs, ...document.social_docs]) {
      strings(part, ['document_type', 'id', 'status']);
      integers(part, ['last_updated']);
    }
  }
  integers(user.extra, ['cip_tag', 'date_joined', 'last_updated']);
  assert.equal(typeof user.extra.extra_security, 'boolean');
  assert.equal(user.extra.is_business, false);
  assert.equal(user.extra.public_note, null);
  assert.equal(user.is_hidden, false);
}

function isDeposit(node) {
  isRecord(node);
  assert.equal(node.type, 'DEPOSIT-US');
  assert.equal(node.allowed, 'CREDIT-AND-DEBIT');
  assert.equal(node.is_active, true);
  assert.equal(node.user_id, world.user.id);
  strings(node.info, ['nickname', 'name_on_account']);
  assert.equal(typeof node.info.balance.amount, 'number');
  assert.equal(node.info.balance.currency, 'USD');
  assert.equal(node.extra.note, null);
  assert.equal(typeof node.extra.other, 'object');
  assert.ok(node.timeline.length > 0, 'the timeline is empty');
  for (const entry of node.timeline) {
    integers(entry, ['date']);
    strings(entry, ['note']);
  }
}

function isTransaction(transaction) {
  succeeded(transaction);
  isRecord(transaction);
  assert.equal(transaction._v, 2);
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

function isParty(party, id, nickname) {
  const { user } = world;
  const expected = { id, nickname, type: 'DEPOSIT-US', user: { _id: user.id, legal_names: newUser.legal_names } };
  assert.deepEqual(party, expected);
}

function isPage(body, records, total, { page, page_count: pageCount, limit, count }) {
  succeeded(body);
  assert.equal(body.success, true);
  assert.deepEqual(
    { page: body.page, page_count: body.page_count, limit: body.limit, [total]: body[total] },
    { page, page_count: pageCount, limit, [total]: count },
  );
  assert.equal(body[records].length, Math.min(limit, count));
}

async function leadsToItself(record) {
  const response = await fetch(record._links.self.href, { headers: world.user.headers });
  assert.equal(response.status, 200, record._links.self.href);
  assert.equal((await response.json())._id, record._id);
}

// --- helpers ---

async function createNode(body) {
  const { status, data } = await world.user.createNode(body);
  assert.equal(status, 200);
  succeeded(data);
  assert.equal(data.success, true);
  integers(data, ['limit', 'page_count']);
  assert.equal(data.node_count, 1);
  assert.equal(data.nodes.length, 1);
  const [node] = data.nodes;
  isDeposit(node);
  assert.equal(node.info.balance.amount, 0);
  await leadsToItself(node);
  return node;
}

async function balanceOf(nodeId) {
  const { data } = await world.user.getNode(nodeId);
  succeeded(data);
  isDeposit(data);
  return data.info.balance.amount;
}

async function refusal(call) {
  try {
    await call;
  } catch (error) {
    if (error.response) return error.response;
    throw error;
  }
  return assert.fail('it was not refused');
}

async function until(withinMs, ask, isDone) {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (isDone(answer)) return answer;
    assert.ok(performance.now() < deadline, `it did not happen within ${withinMs / 1000} s`);
    await sleep(300);
  }
}

function idsOf(records) {
  return records.map((record) => record._id).toSorted();
}

let passed = 0;
let failed = 0;
for (const [name, run] of Object.entries(steps)) {
  try {
    await run();
    passed += 1;
    console.log(`ok - ${name}`);
  } catch (error) {
    failed += 1;
    const { response } = error;
    const answer = response ? `${response.status} ${JSON.stringify(response.data)}` : error.message;
    console.log(`not ok - ${name}\n${answer.replace(/^/gm, '    ')}`);
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
