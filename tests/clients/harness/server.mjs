// The Daybook under test, and the calls of its sandbox that no client library has.

import assert from 'node:assert/strict';

const { BASE_URL } = process.env;
export const { CLIENT_ID = 'client_id_dev', CLIENT_SECRET = 'client_secret_dev' } = process.env;
assert.ok(BASE_URL, 'BASE_URL is not set');

export const HOST = `${BASE_URL.replace(/\/+$/, '')}/v3.1`;

async function call(method, path, body, headers) {
  const response = await fetch(path.startsWith('http') ? path : `${HOST}${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', 'X-SP-GATEWAY': `${CLIENT_ID}|${CLIENT_SECRET}`, ...headers },
    body: body && JSON.stringify(body),
  });
  const answer = await response.json();
  assert.equal(response.status, 200, `${method} ${path}: ${JSON.stringify(answer)}`);
  return answer;
}

export const sandbox = {
  credit: (node, amount) => call('POST', `/sandbox/nodes/${node}/credit`, { amount: { amount, currency: 'USD' } }),
  settle: (transaction) => call('POST', `/sandbox/trans/${transaction}/settle`, {}),
  advance: (seconds) => call('POST', '/sandbox/clock/advance', { seconds }),
  verify: (user) => call('POST', `/sandbox/users/${user}/verify`, { permission: 'SEND-AND-RECEIVE' }),
};

// A record's link, fetched with the headers of its owner, answers the record.
export async function leadsToItself(record, headers) {
  assert.equal((await call('GET', record._links.self.href, undefined, headers))._id, record._id);
}
