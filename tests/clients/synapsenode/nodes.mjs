// Nodes: one of each type, listed, changed, deleted.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  idsOf, integers, isPage, refused, succeeded,
} from '../harness/expect.mjs';
import { world as newWorld } from '../harness/run.mjs';
import { leadsToItself } from '../harness/server.mjs';
import { accountInfo, nodeOf, verifiedUser } from './client.mjs';
import { isDeposit, isNode } from './shapes.mjs';

const payee = {
  payee_name: 'Ada Lovelace',
  payee_address: {
    address_street: '1 Market St',
    address_city: 'San Francisco',
    address_subdivision: 'CA',
    address_country_code: 'US',
    address_postal_code: '94105',
  },
};
const wire = { account_num: '888888888', routing_num: '026009593', correspondent_info: { routing_num: '026009593' } };
const foreign = {
  account_num: 'DE89370400440532013000',
  swift: 'DEUTDEFF',
  bank_name: 'Deutsche Bank',
  address: 'Frankfurt',
  name_on_account: 'Ada',
};
const nickname = 'One of its type';
const atABank = ['account_num', 'routing_num', 'address', 'bank_name', 'bank_long_name', 'name_on_account'];

// By type: what is asked for, what is allowed at first, and the texts that `info` then holds.
const types = {
  'DEPOSIT-US': { info: {}, allowed: 'CREDIT-AND-DEBIT', texts: ['name_on_account'] },
  'SUBACCOUNT-US': { info: {}, allowed: 'CREDIT-AND-DEBIT', texts: ['name_on_account'] },
  'CLEARING-US': { info: {}, allowed: 'CREDIT-AND-DEBIT', texts: [] },
  'RESERVE-US': { info: {}, allowed: 'CREDIT', texts: [] },
  'LEDGER-US': { info: {}, allowed: 'CREDIT-AND-DEBIT', texts: ['name_on_account'], deprecated: true },
  'PARTNER-SUBACCOUNT-US': { info: {}, allowed: 'CREDIT-AND-DEBIT', texts: [], deprecated: true },
  'ACH-US': { info: accountInfo, allowed: 'CREDIT', texts: [...atABank, 'class', 'type'] },
  'WIRE-US': { info: wire, allowed: 'CREDIT', texts: atABank },
  'WIRE-INT': { info: foreign, allowed: 'CREDIT', texts: atABank },
  'CHECK-US': { info: payee, allowed: 'CREDIT', texts: ['payee_name', 'name_on_account'] },
};
const world = newWorld();

// A step that creates a node of the type.
const creates = ([type, { info, allowed, texts, deprecated = false }]) => [`create a ${type}`, async () => {
  const { user } = world;
  const { status, data, headers } = await user.createNode({ type, info: { nickname, ...info } });
  assert.equal(status, 200);
  succeeded(data);
  assert.equal(data.success, true);
  integers(data, ['limit', 'page_count']);
  assert.deepEqual([data.node_count, data.nodes.length], [1, 1]);
  const [node] = data.nodes;
  isNode(node, type, texts);
  assert.equal(node.allowed, allowed);
  assert.equal(node.user_id, user.id);
  assert.equal(node.is_active, true);
  assert.equal(node.extra.supp_id, null);
  for (const text of texts.filter((name) => ['account_num', 'routing_num'].includes(name) && info[name])) {
    assert.equal(node.info[text], info[text].slice(-4), text);
  }
  assert.equal('deprecation' in headers, deprecated, 'the header Deprecation');
  await leadsToItself(node, user.headers);
}];

async function listed(query) {
  const { data } = await world.user.getAllUserNodes(query);
  isPage(data, 'nodes', 'node_count');
  return data;
}

export default {
  async 'a user to own them'() {
    world.user = await verifiedUser();
  },

  ...Object.fromEntries(Object.entries(types).map(creates)),

  async 'numbers that cannot be are refused'() {
    const { user } = world;
    const node = (type, info) => user.createNode({ type, info: { nickname, ...info } });
    await refused(node('ACH-US', { ...accountInfo, routing_num: '021000022' }), 409, '400');
    await refused(node('WIRE-INT', { ...foreign, account_num: 'DE89370400440532013001' }), 409, '400');
    await refused(node('WIRE-INT', { ...foreign, swift: 'DEUT' }), 400, '200');
    await refused(user.createNode({ type: 'DEPOSIT-US', info: {} }), 400, '200');
    await refused(user.createNode({ type: 'IOU', info: { nickname } }), 400, '200');
  },

  async 'list them, all and of a type'() {
    const count = Object.keys(types).length;
    assert.equal((await listed()).node_count, count);
    const { nodes } = await listed({ type: 'ACH-US' });
    assert.deepEqual(nodes.map(({ type }) => type), ['ACH-US']);
  },

  async 'list them page by page'() {
    const all = (await listed()).nodes;
    const pages = [];
    for (const page of [1, 2, 3, 4]) {
      const { data } = await world.user.getAllUserNodes({ page, per_page: 3 });
      isPage(data, 'nodes', 'node_count', { page, limit: 3, count: all.length });
      pages.push(...data.nodes);
    }
    assert.deepEqual(idsOf(pages), idsOf(all));
    isPage((await world.user.getAllUserNodes({ page: 99 })).data, 'nodes', 'node_count', { page: 99 });
    await refused(world.user.getAllUserNodes({ per_page: 101 }), 400, '200');
  },

  async 'one idempotency key makes one node'() {
    const [key, body] = [randomUUID(), { type: 'DEPOSIT-US', info: { nickname: 'Savings' } }];
    const node = (await world.user.createNode(body, key)).data.nodes[0];
    const { error } = await refused(world.user.createNode(body, key), 409, '400');
    assert.equal(error.original_id, node._id);
    world.user.updateIpAddress('127.0.0.1'); // makes the headers anew, without the key
  },

  async 'change its nickname and supp_id'() {
    const { user } = world;
    const node = await nodeOf(user);
    const { status, data } = await user.updateNode(node._id, { nickname: 'For rainy days', supp_id: 'rain-1' });
    assert.equal(status, 200);
    succeeded(data);
    isDeposit(data);
    assert.equal(data._id, node._id);
    assert.equal(data.info.nickname, 'For rainy days');
    assert.equal(data.extra.supp_id, 'rain-1');
    assert.ok(data.timeline.length > node.timeline.length, 'the timeline says nothing of it');
    const again = (await user.getNode(node._id, { full_dehydrate: 'yes', force_refresh: 'no' })).data;
    succeeded(again);
    assert.deepEqual([again.info.nickname, again.extra.supp_id], ['For rainy days', 'rain-1']);
    world.node = again;
  },

  async 'delete it: it leaves the lists and can still be fetched'() {
    const { user, node } = world;
    const before = (await listed()).node_count;
    const { data } = await user.deleteNode(node._id);
    succeeded(data);
    assert.equal(data._id, node._id);
    assert.equal(data.is_active, false);
    const after = await listed();
    assert.equal(after.node_count, before - 1);
    assert.ok(!idsOf(after.nodes).includes(node._id), 'it is still listed');
    assert.equal((await user.getNode(node._id)).data.is_active, false);
  },

  async 'one that is made inactive is in no list'() {
    const { user } = world;
    const before = (await listed()).node_count;
    const { data } = await user.createNode({ type: 'DEPOSIT-US', info: { nickname: 'Hidden' }, is_active: false });
    const [{ _id: id }] = data.nodes;
    assert.equal((await user.getNode(id)).data.is_active, false);
    assert.equal((await listed()).node_count, before);
  },

  async 'nobody sees the nodes of another'() {
    const other = await verifiedUser();
    await refused(other.getNode(world.node._id), 404, '404');
    await refused(other.updateNode(world.node._id, { nickname: 'Mine' }), 404, '404');
    await refused(other.deleteNode(world.node._id), 404, '404');
  },
};
