// What the contract promises of every answer, and helpers to look for it.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

export function succeeded(body) {
  assert.equal(body.error_code, '0');
  assert.equal(body.http_code, '200');
  assert.ok(!('error' in body), 'a success holds the key "error"');
}

export function strings(object, names) {
  for (const name of names) assert.equal(typeof object[name], 'string', name);
}

export function integers(object, names) {
  for (const name of names) assert.ok(Number.isInteger(object[name]), `${name} is ${object[name]}`);
}

export function isRecord(record) {
  strings(record, ['_id']);
  assert.ok(URL.canParse(record._links.self.href), `${record._links.self.href} is not absolute`);
}

// A page of a list. `expected` holds page, page_count, limit and count, or some of them.
export function isPage(body, records, total, expected = {}) {
  succeeded(body);
  assert.equal(body.success, true);
  integers(body, ['page', 'page_count', 'limit', total]);
  const { count = body[total], ...rest } = expected;
  assert.equal(body[total], count);
  for (const [name, value] of Object.entries(rest)) assert.equal(body[name], value, name);
  assert.equal(body.page_count, Math.ceil(count / body.limit));
  const left = Math.max(0, count - (body.page - 1) * body.limit);
  assert.equal(body[records].length, Math.min(body.limit, left));
}

// The answer of a call that is refused with this status and error code.
export async function refused(call, status, code) {
  const { status: found, data } = await refusal(call);
  assert.equal(found, status, JSON.stringify(data));
  assert.equal(data.http_code, String(status));
  assert.equal(data.error_code, code);
  assert.equal(data.success, false);
  strings(data.error, ['en', 'code']);
  return data;
}

async function refusal(call) {
  try {
    await call;
  } catch (error) {
    if (error.response) return { status: error.response.status, data: error.response.data ?? error.response.body };
    throw error;
  }
  return assert.fail('it was not refused');
}

export async function until(withinMs, ask, isDone) {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (isDone(answer)) return answer;
    assert.ok(performance.now() < deadline, `it did not happen within ${withinMs / 1000} s`);
    await sleep(200);
  }
}

export function idsOf(records) {
  return records.map((record) => record._id).toSorted();
}
