// What a platform sees of all its users.

import assert from 'node:assert/strict';
import { isPage, idsOf } from '../harness/expect.mjs';
import { world as newWorld } from '../harness/run.mjs';
import { sandbox } from '../harness/server.mjs';
import { client, nodeOf, verifiedUser } from './client.mjs';
import { isTransaction, isUser } from './shapes.mjs';

const world = newWorld();

// The page of a list that was made last: lists are in the order of creation.
async function last(list, records, total) {
  const first = (await list({ page: 1, per_page: 2 })).data;
  isPage(first, records, total, { page: 1, limit: 2 });
  const { data } = await list({ page: first.page_count, per_page: 2 });
  isPage(data, records, total, { page: first.page_count, limit: 2, count: first[total] });
  return data[records];
}

export default {
  async 'a user, a node and a transaction'() {
    const user = await verifiedUser();
    const node = await nodeOf(user);
    const transaction = await sandbox.credit(node._id, 1);
    Object.assign(world, { user, node, transaction });
  },

  async 'list users'() {
    const users = await last(client.getAllUsers, 'users', 'users_count');
    users.forEach(isUser);
    assert.ok(idsOf(users).includes(world.user.id), 'the newest user is not the last');
  },

  async 'list nodes'() {
    const nodes = await last(client.getPlatformNodes, 'nodes', 'node_count');
    assert.ok(idsOf(nodes).includes(world.node._id), 'the newest node is not the last');
  },

  async 'list transactions'() {
    const transactions = await last(client.getPlatformTransactions, 'trans', 'trans_count');
    transactions.forEach(isTransaction);
    assert.ok(idsOf(transactions).includes(world.transaction._id), 'the newest transaction is not the last');
  },
};
