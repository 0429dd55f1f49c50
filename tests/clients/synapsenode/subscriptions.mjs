// Subscriptions: where a platform wants to be called.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  idsOf, isPage, refused, succeeded,
} from '../harness/expect.mjs';
import { world as newWorld } from '../harness/run.mjs';
import { CLIENT_ID } from '../harness/server.mjs';
import { client } from './client.mjs';
import { isSubscription } from './shapes.mjs';

const URL_HERE = 'https://example.com/hooks';
const SCOPE = ['USERS|POST', 'USER|PATCH', 'NODES|POST', 'NODE|PATCH', 'TRANS|POST', 'TRAN|PATCH'];
const world = newWorld();

function answered({ status, data }) {
  assert.equal(status, 200);
  succeeded(data);
  isSubscription(data);
  return data;
}

export default {
  async 'make one with the scopes that the library gives'() {
    const made = answered(await client.createSubscription(URL_HERE));
    assert.equal(made.url, URL_HERE);
    assert.equal(made.client_id, CLIENT_ID);
    assert.equal(made.is_active, true);
    assert.deepEqual(made.scope.toSorted(), SCOPE.toSorted());
    world.first = made;
  },

  async 'one idempotency key makes one'() {
    const [key, scope] = [randomUUID(), ['SUBNETS|POST', 'SUBNET|PATCH', 'NODE|DELETE']];
    const made = answered(await client.createSubscription(URL_HERE, scope, key));
    assert.deepEqual(made.scope.toSorted(), scope.toSorted());
    const { error } = await refused(client.createSubscription(URL_HERE, scope, key), 409, '400');
    assert.equal(error.original_id, made._id);
    world.second = made;
  },

  async 'get one'() {
    assert.equal(answered(await client.getSubscription(world.first._id)).url, URL_HERE);
    await refused(client.getSubscription('no-such-subscription'), 404, '404');
  },

  async 'list them page by page'() {
    const { subscriptions_count: count } = (await client.getAllSubscriptions()).data;
    const found = [];
    for (let page = 1; page <= count; page += 1) {
      const { data } = await client.getAllSubscriptions({ page, per_page: 1 });
      isPage(data, 'subscriptions', 'subscriptions_count', { page, limit: 1, count });
      data.subscriptions.forEach(isSubscription);
      found.push(...data.subscriptions);
    }
    for (const { _id: id } of [world.first, world.second]) assert.ok(idsOf(found).includes(id), `${id} is not listed`);
  },

  async 'change what it says'() {
    const { _id: id } = world.first;
    assert.equal(answered(await client.updateSubscription(id, { is_active: false })).is_active, false);
    assert.equal(answered(await client.updateSubscription(id, { url: 'example.com' })).url, 'example.com');
    const changed = answered(await client.updateSubscription(id, { scope: ['USERS|POST'] }));
    assert.deepEqual(changed.scope, ['USERS|POST']);
    assert.deepEqual([changed.is_active, changed.url], [false, 'example.com']);
    assert.deepEqual(answered(await client.getSubscription(id)).scope, ['USERS|POST']);
  },

  async 'what they were told'() {
    const { status, data } = await client.getWebhookLogs();
    assert.equal(status, 200);
    succeeded(data);
    assert.equal(data.logs.length, data.logs_count);
  },

  async 'what cannot be is refused'() {
    await refused(client.createSubscription('ftp://example.com/hooks', undefined, randomUUID()), 400, '200');
    await refused(client.createSubscription(URL_HERE, ['NO|SCOPE'], randomUUID()), 400, '200');
  },
};
