// The main flows of synapsepay 0.12.0, unmodified, against a running Daybook. Environment:
// tests/clients/harness/server.mjs.

import { run } from '../harness/run.mjs';
import { methods } from './client.mjs';
import flows from './flows.mjs';

await run({ flows }, methods, new URL('.', import.meta.url));
