// Statements: a month of an account, for its owner. It becomes later on the way, so they come last.

import assert from 'node:assert/strict';
import { integers, isPage, refused, strings } from '../harness/expect.mjs';
import { world as newWorld } from '../harness/run.mjs';
import { sandbox } from '../harness/server.mjs';
import { accountInfo, nodeOf, verifiedUser } from './client.mjs';

const MONTH_S = 31 * 86_400;
const world = newWorld();

function isStatement(statement) {
  strings(statement, ['_id', 'client_id', 'user_id', 'node_id', 'currency']);
  strings(statement.urls, ['csv', 'json']);
  integers(statement, ['date_start', 'date_end', 'entry_count', 'position']);
  assert.ok(statement.date_start < statement.date_end);
  for (const balance of ['opening_balance', 'ending_balance']) assert.equal(typeof statement[balance], 'number');
}

export default {
  async 'there is none before a month is over'() {
    const user = await verifiedUser();
    const [first, second] = [await nodeOf(user), await nodeOf(user, 'LEDGER-US')];
    await sandbox.credit(first._id, 12.34);
    Object.assign(world, { user, first: first._id, second: second._id });
    const { data } = await user.getStatementsByUser();
    isPage(data, 'statements', 'statements_count', { page: 1, page_count: 0, limit: 20, count: 0 });
  },

  async 'list those of a node, the newest first'() {
    const { user, first } = world;
    await sandbox.advance(MONTH_S);
    await sandbox.advance(MONTH_S);
    const { data } = await user.getStatementsByNode(first);
    isPage(data, 'statements', 'statements_count', { page: 1, limit: 20 });
    assert.ok(data.statements_count >= 2, 'two months are over');
    data.statements.forEach(isStatement);
    const oldest = data.statements.at(-1);
    assert.deepEqual([oldest.opening_balance, oldest.ending_balance], [0, 12.34]);
    assert.equal(data.statements[0].opening_balance, 12.34);
    assert.ok(data.statements[0].date_start > oldest.date_start);
    world.oldest = oldest;
  },

  async 'list those of the user, page by page'() {
    const { user, first, second } = world;
    const all = (await user.getStatementsByUser({ page: 1, per_page: 100 })).data;
    isPage(all, 'statements', 'statements_count', { page: 1, limit: 100 });
    assert.deepEqual(new Set(all.statements.map((found) => found.node_id)), new Set([first, second]));
    const page = (await user.getStatementsByUser({ page: 2, per_page: 1 })).data;
    isPage(page, 'statements', 'statements_count', { page: 2, limit: 1, count: all.statements_count });
    assert.deepEqual(page.statements, [all.statements[1]]);
  },

  async 'follow its links'() {
    const { user, oldest } = world;
    const answers = await Promise.all([oldest.urls.json, oldest.urls.csv].map((url) => fetch(url, { headers: user.headers })));
    const [record, table] = [await answers[0].json(), await answers[1].text()];
    assert.equal(record.entries.reduce((sum, { amount }) => sum + amount, 0), oldest.ending_balance);
    assert.equal(table.trimEnd().split('\r\n').length, oldest.entry_count + 3);
    assert.equal((await fetch(oldest.urls.csv)).status, 401);
  },

  async 'a bank account outside has none'() {
    const { user } = world;
    const node = await nodeOf(user, 'ACH-US', accountInfo);
    await refused(user.getStatementsByNode(node._id), 400, '410');
  },
};
