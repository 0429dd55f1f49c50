// Subnets: account and routing numbers of a node.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  idsOf, isPage, refused, succeeded,
} from '../harness/expect.mjs';
import { world as newWorld } from '../harness/run.mjs';
import { leadsToItself } from '../harness/server.mjs';
import { accountInfo, nodeOf, verifiedUser } from './client.mjs';
import { isSubnet } from './shapes.mjs';

const world = newWorld();

function answered({ status, data }) {
  assert.equal(status, 200);
  succeeded(data);
  isSubnet(data, world.node);
  return data;
}

export default {
  async 'make one'() {
    const user = await verifiedUser();
    Object.assign(world, { user, node: await nodeOf(user) });
    const [key, body] = [randomUUID(), { nickname: 'Rent' }];
    const subnet = answered(await user.createSubnet(world.node._id, body, key));
    assert.equal(subnet.nickname, 'Rent');
    assert.equal(subnet.allowed, 'CREDIT-AND-DEBIT');
    assert.equal(subnet.account_class, 'CHECKING');
    await leadsToItself(subnet, user.headers);
    const { error } = await refused(user.createSubnet(world.node._id, body, key), 409, '400');
    assert.equal(error.original_id, subnet._id);
    world.subnet = subnet;
  },

  async 'make another: its number is its own'() {
    const { user, node, subnet } = world;
    const another = answered(await user.createSubnet(node._id, { nickname: 'Food' }, randomUUID()));
    assert.notEqual(another.account_num, subnet.account_num);
    world.another = another;
  },

  async 'get one'() {
    const { user, node, subnet } = world;
    assert.equal(answered(await user.getSubnet(node._id, subnet._id))._id, subnet._id);
    const whole = answered(await user.getSubnet(node._id, subnet._id, { full_dehydrate: true }));
    assert.equal(whole.account_num, subnet.account_num);
    await refused(user.getSubnet(node._id, 'no-such-subnet'), 404, '404');
  },

  async 'list them, all and page by page'() {
    const { user, node, subnet, another } = world;
    const { data } = await user.getAllSubnets(node._id);
    isPage(data, 'subnets', 'subnets_count', { page: 1, limit: 20, count: 2 });
    const pages = [];
    for (const page of [1, 2]) {
      const answer = (await user.getAllSubnets(node._id, { page, per_page: 1 })).data;
      isPage(answer, 'subnets', 'subnets_count', { page, limit: 1, count: 2 });
      answer.subnets.forEach((found) => isSubnet(found, node));
      pages.push(...answer.subnets);
    }
    assert.deepEqual(idsOf(pages), idsOf([subnet, another]));
  },

  async 'change its nickname, and lock it'() {
    const { user, node, subnet } = world;
    const change = (body) => user.updateSubnet(node._id, subnet._id, body);
    assert.equal(answered(await change({ nickname: 'Rent and water' })).nickname, 'Rent and water');
    const locked = answered(await change({ allowed: 'LOCKED' }));
    assert.deepEqual([locked.allowed, locked.nickname], ['LOCKED', 'Rent and water']);
    await refused(change({ allowed: 'NO-SUCH-THING' }), 400, '200');
  },

  async 'an account at a bank has none'() {
    const { user } = world;
    const bank = await nodeOf(user, 'ACH-US', accountInfo);
    await refused(user.createSubnet(bank._id, { nickname: 'Rent' }, randomUUID()), 400, '410');
  },
};
