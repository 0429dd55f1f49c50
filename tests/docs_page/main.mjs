// The page of the API in a real browser: it loads nothing from elsewhere, shows every call, makes one, and can be used with
// a keyboard and a screen reader as far as axe-core can tell.
//
// Argument: the daybook binary. DAYBOOK_BLESS=1 writes the screenshot that docs/how-to/try-the-api.md shows.

import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';

import { chromium } from 'playwright-core';

import { looksAtAccess } from './accessibility.mjs';
import { looksAtCollection } from './postman.mjs';
import { withService } from './service.mjs';

const SCREENSHOT = fileURLToPath(new URL('../../docs/images/api-docs.png', import.meta.url));
const GATEWAY = 'client_id_dev|client_secret_dev';
const [, , binary] = process.argv;

/** What the page asked for, and what it complained about. */
function listenTo(page) {
  const heard = { urls: [], complaints: [] };
  page.on('request', (request) => heard.urls.push(request.url()));
  page.on('console', (message) => message.type() === 'error' && heard.complaints.push(message.text()));
  page.on('pageerror', (error) => heard.complaints.push(String(error)));
  return heard;
}

async function authorise(page) {
  await page.getByRole('button', { name: 'Authorize' }).first().click();
  const dialog = page.locator('.modal-ux');
  const scheme = dialog.locator('.auth-container', { hasText: 'X-SP-GATEWAY' }).first();
  await scheme.locator('input').fill(GATEWAY);
  await looksAtAccess(page, 'credentials are asked for');
  await scheme.getByRole('button', { name: 'Authorize' }).click();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
}

/** Opens the GET of `path`, executes it, and answers the status that came back. */
async function execute(page, path) {
  const operation = page.locator('.opblock-get').filter({ has: page.locator(`[data-path="${path}"]`) });
  await operation.locator('.opblock-summary-control').click();
  await operation.getByRole('button', { name: 'Execute' }).click();
  const status = operation.locator('.live-responses-table .response-col_status').last();
  await status.waitFor();
  return (await status.innerText()).trim().split(/\s/)[0];
}

await withService(binary, async (base) => {
  const description = await (await fetch(`${base}/openapi.json`)).json();
  const count = Object.values(description.paths).flatMap(Object.keys).length;

  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
  const page = await browser.newPage({ viewport: { width: 1200, height: 1300 } });
  const heard = listenTo(page);
  await page.goto(`${base}/docs`);
  await page.locator('.opblock-tag-section').first().waitFor();
  await looksAtAccess(page, 'all is closed');

  await authorise(page);
  await page.locator('#operations-tag-users').click();
  assert.equal(await execute(page, '/v3.1/users'), '200');
  const rules = await looksAtAccess(page, 'a call was answered');
  await page.screenshot({ path: process.env.DAYBOOK_BLESS === '1' ? SCREENSHOT : undefined });
  const post = page.locator('.opblock-post').filter({ has: page.locator('[data-path="/v3.1/users"]') });
  await post.locator('.opblock-summary-control').click();
  await post.locator('.body-param__text').waitFor();
  assert.match(page.url(), /#\/users\//, 'what is open has no address');
  await looksAtAccess(page, 'a call with a body is open');

  const elsewhere = heard.urls.filter((url) => !url.startsWith(`${base}/`) && !url.startsWith('data:'));
  assert.deepEqual(elsewhere, [], 'the page asks somebody else');
  assert.deepEqual(heard.complaints, [], 'the page complains');
  await browser.close();

  assert.equal(await looksAtCollection(description), count);
  console.log(`ok - ${heard.urls.length} requests, none to elsewhere; a call answered 200; ${count} calls in the collection; ${rules} rules of axe kept`);
});
