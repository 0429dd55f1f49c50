// OAuth keys, their scopes, and devices.

import assert from 'node:assert/strict';
import { refused, strings, succeeded } from '../harness/expect.mjs';
import { world as newWorld } from '../harness/run.mjs';
import { IP, client, newUser } from './client.mjs';
import { isDeposit, isOauth } from './shapes.mjs';

const DEVICE = 'a-new-device';
const PIN = '123456';
const SCOPES = [
  'USER|PATCH', 'USER|GET', 'NODES|POST', 'NODES|GET', 'NODE|GET', 'NODE|PATCH', 'NODE|DELETE',
  'TRANS|POST', 'TRANS|GET', 'TRAN|GET', 'TRAN|PATCH', 'TRAN|DELETE',
];
const world = newWorld();

const createNode = () => world.user.createNode({ type: 'DEPOSIT-US', info: { nickname: 'Checking' } });

export default {
  async 'the client did OAuth by itself, and the record is whole'() {
    const user = await client.createUser(newUser, IP);
    assert.ok(user.oauth_key, 'there is no OAuth key');
    const record = await user._oauthUser({ refresh_token: user.body.refresh_token });
    isOauth(record, user.id);
    for (const scope of SCOPES) assert.ok(record.scope.includes(scope), `the scope ${scope} is missing`);
    world.user = user;
  },

  async 'the refresh token is that of the user'() {
    const { user } = world;
    assert.equal(await user._grabRefreshToken(), user.body.refresh_token);
    await refused(user._oauthUser({ refresh_token: 'refresh_unknown' }), 409, '400');
  },

  async 'a key of one scope opens that scope'() {
    const { user } = world;
    const record = await user._oauthUser({ refresh_token: user.body.refresh_token, scope: ['NODES|GET'] });
    assert.deepEqual(record.scope, ['NODES|GET']);
    succeeded((await user.getAllUserNodes()).data);
    await refused(createNode(), 401, '300');
  },

  async 'after ten uses the refresh token is another, and the one before is still good'() {
    const { user } = world;
    const before = user.body.refresh_token;
    for (let use = 3; use <= 10; use += 1) await user._oauthUser({ refresh_token: before });
    const after = await user._grabRefreshToken();
    assert.notEqual(after, before);
    isOauth(await user._oauthUser({ refresh_token: before }), user.id);
    isOauth(await user._oauthUser({ refresh_token: after }), user.id);
  },

  async 'a new device is asked for a PIN'() {
    const { status, data } = await world.user.registerNewFingerprint(DEVICE);
    assert.equal(status, 202);
    assert.equal(data.error_code, '10');
    assert.equal(data.http_code, '202');
    assert.equal(data.success, false);
    strings(data.error, ['en']);
    assert.deepEqual(data.phone_numbers, ['901.111.1111', 'maria.silva@example.com']);
    [world.phone] = data.phone_numbers;
  },

  async 'the PIN is sent'() {
    const { status, data } = await world.user.supplyDevice2FA(DEVICE, world.phone);
    assert.equal(status, 202);
    assert.equal(data.error_code, '10');
    assert.equal(data.success, true);
    strings(data.message, ['en']);
    assert.ok(!('error' in data), 'it holds the key "error"');
  },

  async 'a wrong PIN is refused'() {
    await refused(world.user.verifyFingerprint2FA(DEVICE, '654321'), 409, '400');
  },

  async 'the right one registers the device'() {
    const { user } = world;
    const { status, data } = await user.verifyFingerprint2FA(DEVICE, PIN);
    assert.equal(status, 200);
    isOauth(data, user.id);
    isOauth(await user._oauthUser({ refresh_token: data.refresh_token }), user.id);
    isDeposit((await createNode()).data.nodes[0]);
  },

  async 'the address of the device may change'() {
    const { user } = world;
    assert.equal(user.updateIpAddress('10.0.0.2')['X-SP-USER-IP'], '10.0.0.2');
    succeeded((await user.getAllUserNodes()).data);
  },
};
