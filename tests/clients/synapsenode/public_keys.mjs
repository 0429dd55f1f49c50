// Public keys: for somebody who shall make some of a platform's calls and not know its secret.

import assert from 'node:assert/strict';
import { refused, strings, succeeded } from '../harness/expect.mjs';
import { world as newWorld } from '../harness/run.mjs';
import { CLIENT_ID } from '../harness/server.mjs';
import {
  IP, client, clientWith, newUser,
} from './client.mjs';
import { isUser } from './shapes.mjs';

const ALL = [
  'OAUTH|POST', 'USERS|POST', 'USERS|GET', 'USER|GET', 'USER|PATCH', 'SUBSCRIPTIONS|GET', 'SUBSCRIPTIONS|POST',
  'SUBSCRIPTION|GET', 'SUBSCRIPTION|PATCH', 'CLIENT|REPORTS', 'CLIENT|CONTROLS',
];
const world = newWorld();

async function issued(...values) {
  const { status, data } = await client.issuePublicKey(...values);
  assert.equal(status, 200);
  succeeded(data);
  const { public_key_obj: key } = data;
  strings(key, ['client_obj_id', 'expires_at', 'expires_in', 'public_key']);
  assert.equal(key.expires_in, '900');
  return key;
}

export default {
  async 'one with the scopes that the library gives'() {
    const key = await issued();
    assert.deepEqual(key.scope.toSorted(), ALL.toSorted());
    world.key = key.public_key;
  },

  async 'it makes a user, and lists users, without the secret'() {
    for (const id of ['', CLIENT_ID]) {
      const keyed = clientWith({ client_id: id, client_secret: world.key });
      const user = await keyed.createUser(newUser, IP);
      isUser(user.body);
      assert.ok((await keyed.getAllUsers()).data.users_count > 0);
      world.user = user;
    }
  },

  async 'of one scope it opens nothing else'() {
    const key = await issued(['USERS|GET']);
    assert.deepEqual(key.scope, ['USERS|GET']);
    const keyed = clientWith({ client_id: '', client_secret: key.public_key });
    assert.ok((await keyed.getAllUsers()).data.users_count > 0);
    const { error } = await refused(keyed.createSubscription('https://example.com/hooks'), 401, '300');
    assert.equal(error.code, 'scope_missing');
    await refused(keyed.issuePublicKey(['USERS|GET']), 401, '300');
    await refused(keyed.getPlatformNodes(), 401, '300');
  },

  async 'about one user it opens nothing about another'() {
    const key = await issued(ALL, world.user.id);
    const keyed = clientWith({ client_id: '', client_secret: key.public_key });
    assert.equal((await keyed.getUser(world.user.id)).id, world.user.id);
    const other = await client.createUser(newUser, IP);
    await refused(keyed.getUser(other.id), 404, '404');
    await refused(keyed.getAllUsers(), 401, '300');
  },

  async 'what is no key opens nothing'() {
    const keyed = clientWith({ client_id: '', client_secret: `${world.key}0` });
    await refused(keyed.getAllUsers(), 401, '100');
    await refused(client.issuePublicKey(['NO|SCOPE']), 400, '200');
  },
};
