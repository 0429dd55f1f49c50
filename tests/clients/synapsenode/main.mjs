// synapsenode 1.2.17, unmodified, against a running Daybook. Environment: tests/clients/harness/server.mjs.

import { run } from '../harness/run.mjs';
import bankLogin from './bank_login.mjs';
import { methods } from './client.mjs';
import documents from './documents.mjs';
import microDeposits from './micro_deposits.mjs';
import nodes from './nodes.mjs';
import oauth from './oauth.mjs';
import platform from './platform.mjs';
import statements from './statements.mjs';
import publicKeys from './public_keys.mjs';
import subnets from './subnets.mjs';
import subscriptions from './subscriptions.mjs';
import transactions from './transactions.mjs';
import users from './users.mjs';
import verification from './verification.mjs';

const subjects = {
  users,
  documents,
  OAuth: oauth,
  nodes,
  'bank login': bankLogin,
  'micro-deposits': microDeposits,
  transactions,
  subnets,
  subscriptions,
  platform,
  statements,
  'public keys': publicKeys,
  'banks, routing numbers, addresses': verification,
};

await run(subjects, methods, new URL('.', import.meta.url));
