// Two small amounts verify an account that was told by its numbers.

import assert from 'node:assert/strict';
import { refused, succeeded } from '../harness/expect.mjs';
import { world as newWorld } from '../harness/run.mjs';
import { accountInfo, nodeOf, verifiedUser } from './client.mjs';
import { isNode } from './shapes.mjs';

const RIGHT = { micro: [0.1, 0.1] };
const WRONG = { micro: [0.1, 0.2] };
const world = newWorld();

const account = () => nodeOf(world.user, 'ACH-US', accountInfo);
const getNode = async (node) => (await world.user.getNode(node._id)).data;

export default {
  async 'they are sent when the node is made'() {
    world.user = await verifiedUser();
    world.node = await account();
    assert.equal(world.node.allowed, 'CREDIT');
    assert.ok(world.node.timeline.some(({ note }) => /micro/i.test(note)), 'the timeline says nothing of it');
  },

  async 'and three times again, and no fourth time'() {
    const { user, node } = world;
    let notes = node.timeline.length;
    for (let time = 1; time <= 3; time += 1) {
      const { status, data } = await user.reinitiateMicroDeposits(node._id);
      assert.equal(status, 200);
      succeeded(data);
      isNode(data, 'ACH-US', []);
      assert.equal(data.allowed, 'CREDIT');
      assert.ok(data.timeline.length > notes, 'the timeline says nothing of it');
      notes = data.timeline.length;
    }
    const { error } = await refused(user.reinitiateMicroDeposits(node._id), 409, '400');
    assert.equal(error.code, 'max_microdeposits_sent');
  },

  async 'what are no two amounts does not count'() {
    const { user, node } = world;
    for (const micro of [[0.1], [0.1, 0.1, 0.1], [0, 0.1], [0.1, 1.01], [0.105, 0.1], 'no list']) {
      await refused(user.verifyMicroDeposits(node._id, { micro }), 400, '200');
    }
  },

  async 'wrong amounts are refused and noted'() {
    const { user, node } = world;
    const before = await getNode(node);
    await refused(user.verifyMicroDeposits(node._id, WRONG), 409, '400');
    const after = await getNode(node);
    assert.equal(after.allowed, 'CREDIT');
    assert.equal(after.timeline.length, before.timeline.length + 1);
  },

  async 'the right ones verify it'() {
    const { user, node } = world;
    const { status, data } = await user.verifyMicroDeposits(node._id, RIGHT);
    assert.equal(status, 200);
    succeeded(data);
    assert.equal(data._id, node._id);
    assert.equal(data.allowed, 'CREDIT-AND-DEBIT');
  },

  async 'then there is nothing to verify, as with other types'() {
    const { user, node } = world;
    const other = await nodeOf(user);
    for (const { _id: id } of [node, other]) {
      await refused(user.verifyMicroDeposits(id, RIGHT), 400, '410');
      await refused(user.reinitiateMicroDeposits(id), 400, '410');
    }
  },

  async 'the fifth wrong attempt locks the node'() {
    const { user } = world;
    const node = await account();
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      await refused(user.verifyMicroDeposits(node._id, WRONG), 409, '400');
      assert.equal((await getNode(node)).allowed, attempt < 5 ? 'CREDIT' : 'LOCKED');
    }
    await refused(user.verifyMicroDeposits(node._id, RIGHT), 409, '400');
  },
};
