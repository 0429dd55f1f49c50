// Compares what docs/reference/clients.md says of each client with what happened, or writes it: DAYBOOK_BLESS=1.
//
// Argument: the folder of the fragments that the clients have written, one `<client>.md` each.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PAGE = fileURLToPath(new URL('../../docs/reference/clients.md', import.meta.url));
const PART = /(<!-- begin (\w+) -->\n)[^]*?(<!-- end -->\n)/g;

const [, , folder] = process.argv;
const page = readFileSync(PAGE, 'utf8');
const written = page.replace(PART, (_, begin, client, end) => (
  `${begin}\n${readFileSync(join(folder, `${client}.md`), 'utf8')}\n${end}`));

if (process.env.DAYBOOK_BLESS === '1') {
  writeFileSync(PAGE, written);
} else if (page !== written) {
  console.log('not ok - docs/reference/clients.md says something else; DAYBOOK_BLESS=1 tests/clients/run.sh writes it');
  process.exitCode = 1;
}
