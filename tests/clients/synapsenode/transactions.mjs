// Payments: made, settled, read, commented, canceled.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  idsOf, isPage, refused, succeeded, until,
} from '../harness/expect.mjs';
import { world as newWorld } from '../harness/run.mjs';
import { leadsToItself, sandbox } from '../harness/server.mjs';
import { newUser, nodeOf, verifiedUser } from './client.mjs';
import { isDeposit, isTransaction } from './shapes.mjs';

const SETTLED_WITHIN_MS = 60_000;
const world = newWorld();

const payment = (amount, to, more = {}) => ({
  to: { type: 'DEPOSIT-US', id: to },
  amount: { amount, currency: 'USD' },
  extra: { ip: '127.0.0.1', supp_id: 'rent-1', note: 'Rent for May' },
  ...more,
});

async function balanceOf(node) {
  const { data } = await world.user.getNode(node);
  succeeded(data);
  isDeposit(data);
  return data.info.balance.amount;
}

function isParty(party, id, nickname) {
  const user = { _id: world.user.id, legal_names: newUser.legal_names };
  assert.deepEqual(party, { id, nickname, type: 'DEPOSIT-US', user });
}

// The transaction that was answered, or whose record was.
function answered({ status, data }) {
  assert.equal(status, 200);
  succeeded(data);
  isTransaction(data);
  return data;
}

export default {
  async 'two nodes, and money on the first'() {
    const user = await verifiedUser();
    const [first, second] = [await nodeOf(user), await nodeOf(user, 'DEPOSIT-US', { nickname: 'Savings' })];
    Object.assign(world, { user, first: first._id, second: second._id });
    const credit = await sandbox.credit(first._id, 100);
    isTransaction(credit);
    assert.equal(credit.recent_status.status, 'SETTLED');
    assert.equal(await balanceOf(first._id), 100);
    world.credit = credit._id;
  },

  async 'pay 12.34 from the first node to the second'() {
    const { user, first, second } = world;
    const key = randomUUID();
    const paid = answered(await user.createTransaction(first, payment(12.34, second), key));
    assert.deepEqual(paid.amount, { amount: 12.34, currency: 'USD' });
    assert.equal(paid.recent_status.status, 'CREATED');
    assert.equal(paid.recent_status.status_id, '1');
    assert.equal(paid.timeline.length, 1);
    isParty(paid.from, first, 'Checking');
    isParty(paid.to, second, 'Savings');
    assert.equal(paid.extra.ip, '127.0.0.1');
    assert.equal(paid.extra.latlon, '0,0');
    assert.equal(paid.extra.note, 'Rent for May');
    assert.equal(paid.extra.supp_id, 'rent-1');
    assert.deepEqual(paid.fees, []);
    Object.assign(world, { key, paid });
  },

  async 'the same idempotency key again is refused'() {
    const { user, first, second, key } = world;
    for (const [amount, samePayload] of [[12.34, true], [1, false]]) {
      const { error } = await refused(user.createTransaction(first, payment(amount, second), key), 409, '400');
      assert.equal(error.original_id, world.paid._id);
      assert.equal(error.same_payload, samePayload);
    }
    // From here on the client sends that key with every call, also with GET and PATCH: once given, its headers keep
    // it. Only a POST may heed it.
    assert.equal(user.headers['X-SP-IDEMPOTENCY-KEY'], key);
  },

  async 'wait until it is settled'() {
    const { user, first } = world;
    const { data } = await until(
      SETTLED_WITHIN_MS,
      () => user.getTransaction(first, world.paid._id),
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

  async 'get it, as sender and as receiver'() {
    const { user, first, second, settled } = world;
    const asSender = answered(await user.getTransaction(first, settled._id));
    await leadsToItself(asSender, user.headers);
    assert.equal(answered(await user.getTransaction(second, settled._id))._id, settled._id);
  },

  async 'list those of the user, page by page'() {
    const { user, credit, settled } = world;
    const { data } = await user.getUserTransactions();
    isPage(data, 'trans', 'trans_count', { page: 1, page_count: 1, limit: 20, count: 2 });
    const pages = [];
    for (const page of [1, 2]) {
      const answer = (await user.getUserTransactions({ page, per_page: 1 })).data;
      isPage(answer, 'trans', 'trans_count', { page, page_count: 2, limit: 1, count: 2 });
      pages.push(...answer.trans);
    }
    assert.deepEqual(idsOf(pages), [credit, settled._id].toSorted());
  },

  async 'list those of a node'() {
    const { user, first, second, credit, settled } = world;
    const sent = (await user.getAllNodeTransactions(first)).data;
    isPage(sent, 'trans', 'trans_count', { page: 1, limit: 20, count: 2 });
    assert.deepEqual(idsOf(sent.trans), [credit, settled._id].toSorted());
    const received = (await user.getAllNodeTransactions(second, { page: 1, per_page: 5 })).data;
    isPage(received, 'trans', 'trans_count', { page: 1, limit: 5, count: 1 });
    received.trans.forEach(isTransaction);
    assert.deepEqual(idsOf(received.trans), [settled._id]);
  },

  async 'comment on its status'() {
    const { user, first, settled } = world;
    const commented = answered(await user.commentOnStatus(first, settled._id, { comment: 'Thank you.' }));
    assert.equal(commented.recent_status.status, 'SETTLED');
    assert.equal(commented.recent_status.note, `${settled.recent_status.note} Thank you.`);
    assert.equal(commented.timeline.at(-1).note, `${settled.timeline.at(-1).note} Thank you.`);
    assert.deepEqual(commented.timeline.slice(0, -1), settled.timeline.slice(0, -1));
    const again = answered(await user.getTransaction(first, settled._id));
    assert.equal(again.recent_status.note, commented.recent_status.note);
  },

  async 'cancel one that is to be processed tomorrow'() {
    const { user, first, second } = world;
    const extra = { ip: '127.0.0.1', process_on: 1 };
    const made = answered(await user.createTransaction(first, payment(5, second, { extra }), randomUUID()));
    assert.ok(made.extra.process_on > made.extra.created_on + 80_000_000, 'process_on is not tomorrow');
    assert.deepEqual([made.extra.note, made.extra.supp_id], ['', '']);
    const canceled = answered(await user.deleteTransaction(first, made._id));
    assert.equal(canceled._id, made._id);
    assert.equal(canceled.recent_status.status, 'CANCELED');
    assert.equal(canceled.recent_status.status_id, '5');
    assert.equal(await balanceOf(first), 87.66);
  },

  async 'what is settled is not canceled'() {
    const { user, first, settled } = world;
    const { error } = await refused(user.deleteTransaction(first, settled._id), 400, '410');
    assert.equal(error.code, 'cannot_cancel_transaction');
  },

  async 'pay with a fee'() {
    const { user, first, second } = world;
    const fee = { fee: 0.12, note: 'Service', to: { id: (await nodeOf(user, 'LEDGER-US'))._id } };
    const made = answered(await user.createTransaction(first, payment(1, second, { fees: [fee] }), randomUUID()));
    assert.deepEqual(made.fees, [fee]);
    const settled = await sandbox.settle(made._id);
    assert.equal(settled.recent_status.status, 'SETTLED');
    assert.equal(await balanceOf(first), 86.66);
    assert.equal(await balanceOf(second), 13.22);
  },

  async 'pay many times in one call'() {
    const { user, first, second } = world;
    const tomorrow = { ip: '127.0.0.1', process_on: 1 };
    const plain = payment(1, second, { extra: tomorrow });
    const keyed = payment(2, second, { extra: { ...tomorrow, idempotency_key: randomUUID() } });
    const body = { transactions: [plain, payment(0, second), keyed, keyed, null] };
    // The key that the library kept from an earlier call counts on that call's path alone.
    const { status, data } = await user.createBatchTransactions(first, body);
    assert.equal(status, 200);
    succeeded(data);
    const [made, zero, alsoMade, again, none] = data.trans;
    for (const [transaction, amount] of [[made, 1], [alsoMade, 2]]) {
      isTransaction(transaction);
      assert.equal(transaction.amount.amount, amount);
      await user.deleteTransaction(first, transaction._id);
    }
    for (const [failed, http, code] of [[zero, '400', '200'], [again, '409', '400'], [none, '400', '200']]) {
      assert.deepEqual([failed.http_code, failed.error_code, failed.success], [http, code, false]);
    }
    assert.equal(again.error.original_id, alsoMade._id);
    await refused(user.createBatchTransactions(first, { transactions: [] }), 400, '200');
  },

  async 'money from outside and to outside, simulated'() {
    const { user, second } = world;
    for (const [query, left] of [[{ is_credit: 'yes', amount: 2.5 }, 15.72], [{ is_credit: 'no' }, 5.72]]) {
      const { status, data } = await user.triggerDummyTransactions(second, query);
      assert.equal(status, 200);
      succeeded(data);
      assert.equal(data.success, true);
      assert.equal(await balanceOf(second), left);
    }
  },

  async 'what cannot be is refused'() {
    const { user, first, second } = world;
    const create = (body) => user.createTransaction(first, body, randomUUID());
    await refused(create(payment(0, second)), 400, '200');
    await refused(create(payment(1.001, second)), 400, '200');
    await refused(create(payment(1, first)), 400, '200');
    await refused(create(payment(1, 'no-such-node')), 404, '404');
    await refused(create(payment(1, second, { to: { type: 'ACH-US', id: second } })), 400, '200');
    await refused(user.getTransaction(first, 'no-such-transaction'), 404, '404');
  },
};
