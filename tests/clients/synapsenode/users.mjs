// Users: made, verified, changed, found, closed.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  isPage, refused, succeeded, until,
} from '../harness/expect.mjs';
import { world as newWorld } from '../harness/run.mjs';
import { leadsToItself } from '../harness/server.mjs';
import {
  IP, SSN, baseDocument, client, newUser, uniqueWord,
} from './client.mjs';
import { isUser } from './shapes.mjs';

const VERIFIED_WITHIN_MS = 30_000;
const world = newWorld();

const ssn = { document_value: SSN, document_type: 'SSN' };
const emailsOf = (user) => user.logins.map(({ email }) => email);

// The user after this update.
async function updated(update) {
  const { user } = world;
  const { status, data } = await user.updateUser({ refresh_token: await user._grabRefreshToken(), update });
  assert.equal(status, 200);
  succeeded(data);
  isUser(data);
  return data;
}

export default {
  async 'create a user with documents'() {
    const documents = [{ ...baseDocument, virtual_docs: [ssn] }];
    const user = await client.createUser({ ...newUser, documents }, IP);
    succeeded(user.body);
    isUser(user.body);
    assert.equal(user.body.permission, 'UNVERIFIED');
    assert.deepEqual(user.body.doc_status, { physical_doc: 'MISSING|INVALID', virtual_doc: 'MISSING|INVALID' });
    assert.deepEqual(user.body.legal_names, newUser.legal_names);
    assert.deepEqual(user.body.phone_numbers, newUser.phone_numbers);
    assert.deepEqual(user.body.logins, [{ email: newUser.logins[0].email, scope: 'READ_AND_WRITE' }]);
    assert.equal(user.body.extra.supp_id, 'maria-1');
    assert.equal(user.body.documents.length, 1);
    assert.deepEqual(user.body.documents[0].virtual_docs.map((part) => part.document_type), ['SSN']);
    assert.ok(!JSON.stringify(user.body).includes(SSN), 'the answer holds the SSN');
    world.user = user;
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
    await leadsToItself(user.body, user.headers);
    world.user = user;
  },

  async 'get it with all that is known of it'() {
    const user = await client.getUser(world.user.id, { full_dehydrate: true, ip_address: '10.0.0.1' });
    isUser(user.body);
    assert.equal(user.headers['X-SP-USER-IP'], '10.0.0.1');
  },

  async 'get one that is not there'() {
    await refused(client.getUser('11111111111111'), 404, '404');
  },

  async 'one idempotency key makes one user'() {
    const options = { idempotency_key: randomUUID(), fingerprint: 'another-device' };
    const user = await client.createUser(newUser, IP, options);
    assert.equal(user.fingerprint, 'another-device');
    const { error } = await refused(client.createUser(newUser, IP, options), 409, '400');
    assert.equal(error.original_id, user.id);
    assert.equal(error.same_payload, true);
    world.unverified = user;
  },

  async 'add a login, a phone number and a legal name'() {
    const user = await updated({
      login: { email: 'second@example.com', password: 'secret-4711', read_only: true },
      phone_number: '415.555.1234',
      legal_name: 'Maria Souza',
    });
    assert.deepEqual(user.logins.at(-1), { email: 'second@example.com', scope: 'READ' });
    assert.deepEqual(user.phone_numbers, ['901.111.1111', '415.555.1234']);
    assert.deepEqual(user.legal_names, ['Maria Silva', 'Maria Souza']);
    assert.ok(!JSON.stringify(user).includes('secret-4711'), 'the answer holds the password');
  },

  async 'remove them'() {
    const user = await updated({
      remove_login: { email: 'second@example.com' },
      remove_phone_number: '415.555.1234',
      remove_legal_name: 'Maria Souza',
    });
    assert.deepEqual(emailsOf(user), ['maria.silva@example.com']);
    assert.deepEqual(user.phone_numbers, ['901.111.1111']);
    assert.deepEqual(user.legal_names, ['Maria Silva']);
  },

  async 'change the CIP tag'() {
    assert.equal((await updated({ cip_tag: 3 })).extra.cip_tag, 3);
    assert.equal((await client.getUser(world.user.id)).body.extra.cip_tag, 3);
  },

  async 'find users by the beginning of a login and of any word of a name, whatever the case'() {
    const word = uniqueWord();
    const named = await client.createUser({ ...newUser, legal_names: [`Ann ${word}`] }, IP);
    const logged = await client.createUser({ ...newUser, logins: [{ email: `${word}@example.com` }] }, IP);
    const { data } = await client.getAllUsers({ query: word.toUpperCase(), page: 1, per_page: 5 });
    isPage(data, 'users', 'users_count', { page: 1, limit: 5, count: 2 });
    data.users.forEach(isUser);
    assert.deepEqual(data.users.map(({ _id }) => _id), [named.id, logged.id]);
    const none = (await client.getAllUsers({ query: word.slice(1) })).data;
    isPage(none, 'users', 'users_count', { count: 0 });
    Object.assign(world, { word, named, logged });
  },

  async 'list users page by page'() {
    const pages = [];
    for (const page of [1, 2, 3]) {
      const { data } = await client.getAllUsers({ query: world.word, page, per_page: 1, show_refresh_tokens: 'yes' });
      isPage(data, 'users', 'users_count', { page, limit: 1, count: 2 });
      pages.push(...data.users);
    }
    assert.deepEqual(pages.map(({ _id }) => _id), [world.named.id, world.logged.id]);
  },

  async 'lock one, and close one'() {
    for (const [user, permission] of [[world.named, 'LOCKED'], [world.logged, 'CLOSED']]) {
      const { data } = await user.updateUser({ permission });
      succeeded(data);
      isUser(data);
      assert.equal(data.permission, permission);
    }
  },

  async 'no user raises its own permission'() {
    await refused(world.unverified.updateUser({ permission: 'SEND-AND-RECEIVE' }), 400, '200');
    assert.equal((await client.getUser(world.unverified.id)).body.permission, 'UNVERIFIED');
  },

  async 'what has to go away is in no list'() {
    const { named, logged, word } = world;
    const { data } = await named.updateUser({ permission: 'MAKE-IT-GO-AWAY' });
    assert.equal(data.permission, 'MAKE-IT-GO-AWAY');
    const left = (await client.getAllUsers({ query: word })).data;
    isPage(left, 'users', 'users_count', { count: 1 });
    assert.equal(left.users[0]._id, logged.id);
  },
};
