// What axe-core finds on the page: nothing that it calls serious or critical, whatever is open.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const AXE = readFileSync(fileURLToPath(new URL('node_modules/axe-core/axe.min.js', import.meta.url)), 'utf8');
const IMPACTS = ['serious', 'critical'];

/** Looks at the page as it is; `state` is the name of what is open. Answers how many rules were looked at. */
export async function looksAtAccess(page, state) {
  await page.evaluate(AXE);
  const { passes, violations } = await page.evaluate(() => globalThis.axe.run(document));
  const found = violations.filter(({ impact }) => IMPACTS.includes(impact)).map(({ id, impact, nodes }) => (
    `${impact}: ${id}: ${nodes.map(({ html }) => html.slice(0, 100)).join(' … ')}`));
  assert.deepEqual(found, [], `axe finds fault with the page: ${state}`);
  assert.ok(passes.length > 0, 'axe looked at nothing');
  return passes.length;
}
