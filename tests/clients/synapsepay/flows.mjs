// From a user to a payment, with everything that stands on the way.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { idsOf, isPage } from '../harness/expect.mjs';
import { world as newWorld } from '../harness/run.mjs';
import { sandbox } from '../harness/server.mjs';
import {
  FINGERPRINT, IP, Institutions, Nodes, PublicKey, Statements, Subnets, Subscriptions, Transactions, Users, ask, client,
  verifiedUser,
} from './client.mjs';

const DEVICE = 'a-new-device';
const account = {
  account_num: '7235723985', routing_num: '051000017', type: 'PERSONAL', class: 'CHECKING', nickname: 'Test AC/RT',
};
const world = newWorld();

const idOf = ({ json }) => json._id;
const login = (bankId) => ({ type: 'ACH-US', info: { bank_id: bankId, bank_pw: 'test1234', bank_name: 'fake' } });

async function nodeOf(type, info) {
  const [node] = await ask(Nodes, 'create', world.user, { type, info });
  assert.equal(node.json.type, type);
  return node;
}

export default {
  async 'make a user, and get it'() {
    const user = await verifiedUser();
    assert.ok(user.oauth_key, 'there is no OAuth key');
    const options = { _id: idOf(user), fingerprint: FINGERPRINT, ip_address: IP, full_dehydrate: 'yes' };
    world.user = await ask(Users, 'get', client, options);
    assert.equal(idOf(world.user), idOf(user));
    assert.equal(world.user.json.permission, 'SEND-AND-RECEIVE');
  },

  async 'find users'() {
    const users = await ask(Users, 'get', client, { ip_address: IP, page: 1, query: 'javascript' });
    isPage(users, 'users', 'users_count', { page: 1 });
    assert.ok(users.users_count > 0, 'there is none');
  },

  async 'change one, and add documents'() {
    const user = await verifiedUser();
    await ask(user, 'update', { refresh_token: user.json.refresh_token, update: { legal_name: 'Node Second' } });
    assert.ok(user.json.legal_names.includes('Node Second'), 'the name is missing');
    const ssn = { document_value: '111-111-2222', document_type: 'SSN' };
    await ask(user, 'addDocuments', { documents: [{ name: 'Node TestUser', ip: IP, virtual_docs: [ssn] }] });
    assert.equal(user.json.documents.length, 1);
    await ask(user, 'addDoc', { documents: [{ id: user.json.documents[0].id, alias: 'Woof' }] });
    assert.equal(user.json.documents.length, 1);
  },

  async 'register a device'() {
    const { user } = world;
    const asked = await ask(user, 'registerFingerprint', DEVICE);
    assert.equal(asked.status, 202);
    const sent = await ask(user, 'supplyDevice2FA', DEVICE, asked.body.phone_numbers[0]);
    assert.equal(sent.status, 202);
    const record = await ask(user, 'verifyFingerprint', DEVICE, '123456');
    assert.ok(record.oauth_key, 'there is no OAuth key');
  },

  async 'make nodes, by numbers and by logins'() {
    const { user } = world;
    world.bank = await nodeOf('ACH-US', account);
    world.wallet = await nodeOf('DEPOSIT-US', { nickname: 'Wallet' });
    assert.equal((await ask(Nodes, 'create', user, login('synapse_nomfa'))).length, 2);
    const asked = await ask(Nodes, 'create', user, login('synapse_good'));
    assert.equal(asked.status, 202);
    const answer = { access_token: asked.body.mfa.access_token, mfa_answer: 'test_answer' };
    assert.equal((await ask(Nodes, 'create', user, answer)).length, 2);
  },

  async 'get and list nodes'() {
    const { user, wallet } = world;
    const node = await ask(Nodes, 'get', user, { _id: idOf(wallet), full_dehydrate: 'yes' });
    assert.equal(node.json.info.nickname, 'Wallet');
    const nodes = await ask(Nodes, 'get', user, { page: 1, per_page: 10, type: 'ACH-US' });
    isPage(nodes, 'nodes', 'node_count', { count: 5 });
  },

  async 'micro-deposits, again, and right'() {
    const { bank } = world;
    assert.equal((await ask(bank, 'resendMicro')).allowed, 'CREDIT');
    assert.equal((await ask(bank, 'update', { micro: [0.1, 0.1] })).allowed, 'CREDIT-AND-DEBIT');
  },

  async 'money from outside, simulated'() {
    const answer = await ask(world.wallet, 'triggerDummyTransaction', { is_credit: 'YES' });
    assert.equal(answer.success, true);
  },

  async 'pay, once'() {
    const { wallet, bank } = world;
    const payload = () => ({
      to: { type: 'ACH-US', id: idOf(bank) },
      amount: { amount: 1.1, currency: 'USD' },
      extra: { supp_id: '1283764wqw', note: 'Deposit to bank account', process_on: 1, ip: IP },
      idempotency_key: world.key,
    });
    world.key = randomUUID();
    const payment = await ask(Transactions, 'create', wallet, payload());
    assert.equal(payment.json.recent_status.status, 'CREATED');
    await assert.rejects(ask(Transactions, 'create', wallet, payload()), { status: 409 });
    world.payment = payment;
  },

  async 'get it, comment on it, cancel it'() {
    const { wallet, payment } = world;
    const found = await ask(Transactions, 'get', wallet, { _id: idOf(payment) });
    await ask(found, 'update', { comment: 'Pending verification' });
    assert.match(found.json.recent_status.note, /Pending verification$/);
    await ask(found, 'delete');
    assert.equal(found.json.recent_status.status, 'CANCELED');
  },

  async 'list transactions of the node, the user and the platform'() {
    const { user, wallet, payment } = world;
    const ofNode = await ask(Transactions, 'get', wallet, { page: 1, per_page: 20 });
    isPage(ofNode, 'trans', 'trans_count', { count: 2 });
    assert.ok(idsOf(ofNode.trans).includes(idOf(payment)), 'the payment is missing');
    isPage(await ask(Transactions, 'getUser', user, { page: 1 }), 'trans', 'trans_count', { page: 1 });
    const ofPlatform = await ask(Transactions, 'getClient', client, { page: 1, per_page: 1 });
    isPage(ofPlatform, 'trans', 'trans_count', { limit: 1 });
  },

  async 'subnets'() {
    const { wallet } = world;
    const subnet = await ask(Subnets, 'create', wallet, { nickname: 'Test subnet' });
    assert.equal(idOf(await ask(Subnets, 'get', wallet, { _id: idOf(subnet), full_dehydrate: 'yes' })), idOf(subnet));
    await ask(subnet, 'update', { allowed: 'LOCKED' });
    assert.equal(subnet.json.allowed, 'LOCKED');
    isPage(await ask(Subnets, 'get', wallet, { page: 1, per_page: 10 }), 'subnets', 'subnets_count', { count: 1 });
  },

  async 'subscriptions'() {
    const payload = { scope: ['USERS|POST', 'NODE|PATCH'], url: 'https://example.com/hooks' };
    const subscription = await ask(Subscriptions, 'create', client, payload);
    await ask(subscription, 'update', { is_active: false });
    assert.equal(subscription.json.is_active, false);
    const found = await ask(Subscriptions, 'get', client, { _id: idOf(subscription) });
    assert.equal(found.json.url, payload.url);
    isPage(await ask(Subscriptions, 'get', client, {}), 'subscriptions', 'subscriptions_count');
  },

  async 'statements, of the node and of the user'() {
    const { user, wallet } = world;
    await sandbox.advance(31 * 86_400);
    const ofNode = await ask(Statements, 'get', user, { _id: idOf(wallet), page: 1, per_page: 5 });
    isPage(ofNode, 'statements', 'statements_count', { page: 1, limit: 5 });
    assert.equal(ofNode.statements.at(-1).node_id, idOf(wallet));
    const ofUser = await ask(Statements, 'get', user, { page: 1 });
    isPage(ofUser, 'statements', 'statements_count', { count: ofNode.statements_count });
    assert.deepEqual((await ask(Statements, 'get', user, null)).statements, ofUser.statements);
  },

  async 'public keys'() {
    const { public_key_obj: narrow } = await ask(PublicKey, 'get', client, { scope: 'USERS|POST,USER|GET' });
    assert.deepEqual(narrow.scope.toSorted(), ['USERS|POST', 'USER|GET'].toSorted());
    const { public_key_obj: wide } = await ask(PublicKey, 'get', client, null);
    assert.equal(wide.scope.length, 11);
    assert.notEqual(wide.public_key, narrow.public_key);
  },

  async 'banks to log in at'() {
    const { banks } = await ask(Institutions, 'get', client);
    assert.ok(banks.some((bank) => bank.bank_code === 'fake'), 'the sandbox has no bank');
  },

  async 'delete a node'() {
    const { wallet } = world;
    await ask(wallet, 'delete');
    assert.equal(wallet.json.is_active, false);
  },
};
