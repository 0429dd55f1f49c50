// The description as a collection for Postman, by Postman's own converter.

import assert from 'node:assert/strict';

import converter from 'openapi-to-postmanv2';

/** Looks whether every operation of `description` is a request of the collection; answers how many there are. */
export async function looksAtCollection(description) {
  const input = { type: 'json', data: description };
  const options = { folderStrategy: 'Tags', requestNameSource: 'Fallback' };
  const converted = await new Promise((resolve, reject) => {
    converter.convertV2(input, options, (error, result) => (error ? reject(error) : resolve(result)));
  });
  assert.ok(converted.result, converted.reason);
  const [{ data: collection }] = converted.output;
  // An id with something behind it is a variable of the collection, and no part of a path.
  const path = (url) => url.path.join('/').replace(/\{\{(\w+)\}\}/g, ':$1');
  const found = new Set(requests(collection.item).map(({ method, url }) => `${method} /${path(url)}`));
  const known = new Set(Object.entries(description.paths).flatMap(([template, item]) => (
    Object.keys(item).map((method) => `${method.toUpperCase()} ${template.replace(/\{(\w+)\}/g, ':$1')}`))));
  assert.deepEqual([...found].sort(), [...known].sort());
  return found.size;
}

function requests(items) {
  return items.flatMap((item) => (item.item ? requests(item.item) : [item.request]));
}
