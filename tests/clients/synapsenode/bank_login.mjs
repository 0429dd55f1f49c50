// Accounts linked by a login at the sandbox's bank.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { refused, strings, succeeded } from '../harness/expect.mjs';
import { world as newWorld } from '../harness/run.mjs';
import { verifiedUser } from './client.mjs';
import { isNode } from './shapes.mjs';

const TEXTS = ['account_num', 'routing_num', 'bank_name', 'bank_long_name', 'class', 'type', 'name_on_account'];
const world = newWorld();

const login = (bankId, bankPw = 'test1234') => ({
  type: 'ACH-US', info: { bank_id: bankId, bank_pw: bankPw, bank_name: 'fake' },
});

function areLinked({ status, data }) {
  assert.equal(status, 200);
  succeeded(data);
  assert.equal(data.success, true);
  assert.deepEqual([data.node_count, data.nodes.length], [2, 2]);
  assert.deepEqual(data.nodes.map(({ info }) => info.class).toSorted(), ['CHECKING', 'SAVINGS']);
  for (const node of data.nodes) {
    isNode(node, 'ACH-US', TEXTS);
    assert.equal(node.allowed, 'CREDIT-AND-DEBIT');
    assert.deepEqual(node.info.balance, { amount: '800.00', currency: 'USD' });
    for (const match of ['email_match', 'name_match', 'phonenumber_match']) {
      assert.ok(['match', 'no_match', 'not_found'].includes(node.info.match_info[match]), match);
    }
  }
  return data.nodes;
}

// The challenge that is asked.
function isAsked({ status, data }) {
  assert.equal(status, 202);
  assert.deepEqual([data.error_code, data.http_code, data.success], ['10', '202', true]);
  assert.ok(!('error' in data), 'it holds the key "error"');
  strings(data.mfa, ['access_token', 'message', 'type']);
  return data.mfa;
}

export default {
  async 'a user to own them'() {
    world.user = await verifiedUser();
  },

  async 'a bank that asks nothing'() {
    const linked = areLinked(await world.user.createNode(login('synapse_nomfa')));
    const { data } = await world.user.getAllUserNodes({ type: 'ACH-US' });
    assert.equal(data.node_count, linked.length);
  },

  async 'a bank that asks a question'() {
    const key = randomUUID();
    const asked = isAsked(await world.user.createNode(login('synapse_good'), key));
    assert.equal(asked.type, 'question');
    Object.assign(world, { asked, key });
  },

  async 'a wrong answer, and "again", lead to another challenge'() {
    const { user, asked } = world;
    for (const answer of ['a wrong answer', 'again']) {
      const another = isAsked(await user.verifyAchMfa(asked.access_token, answer));
      assert.equal(another.access_token, asked.access_token);
    }
  },

  async 'the right one makes the nodes, and a 202 has not used the key up'() {
    const { user, asked, key } = world;
    areLinked(await user.verifyAchMfa(asked.access_token, 'test_answer', key));
    user.updateIpAddress('127.0.0.1'); // makes the headers anew, without the key
  },

  async 'a bank that sends a code'() {
    const { user } = world;
    const asked = isAsked(await user.createNode(login('synapse_code_mfa')));
    assert.equal(asked.type, 'code');
    isAsked(await user.verifyAchMfa(asked.access_token, '654321'));
    areLinked(await user.verifyAchMfa(asked.access_token, '123456'));
  },

  async 'a bank without accounts'() {
    await refused(world.user.createNode(login('synapse_no_accounts')), 402, '460');
  },

  async 'what is wrong is refused'() {
    const { user } = world;
    await refused(user.createNode(login('synapse_good', 'wrong')), 409, '400');
    await refused(user.createNode(login('nobody')), 409, '400');
    await refused(user.verifyAchMfa('no-such-token', 'test_answer'), 409, '400');
    const other = await verifiedUser();
    const { access_token: token } = isAsked(await user.createNode(login('test_good')));
    await refused(other.verifyAchMfa(token, 'test_answer'), 409, '400');
  },
};
