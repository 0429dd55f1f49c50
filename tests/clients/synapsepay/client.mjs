// synapsepay 0.12.0 as its users have it: only `baseUrl` is set. What steps call is noted on the way.

import synapsepay from 'synapsepay';
import { called } from '../harness/run.mjs';
import { CLIENT_ID, CLIENT_SECRET, HOST, sandbox } from '../harness/server.mjs';

export const {
  Clients, Institutions, Nodes, PublicKey, Statements, Subnets, Subscriptions, Transactions, Users,
} = synapsepay;

export const IP = '127.0.0.1';
export const FINGERPRINT = 'a-device';

// What the objects do for themselves.
const INNER = ['updateJSON', 'getAPIConfig', 'generateConfig', 'grabOauthKey'];

const holders = Object.entries(synapsepay).map(([name, member]) => [name, member.prototype ?? member]);

export const methods = holders.flatMap(([holder, object]) => Object.keys(object)
  .filter((name) => typeof object[name] === 'function' && !INNER.includes(name))
  .map((name) => `${holder}.${name}`));

// What the library gives to the callback of the method, or throws.
export function ask(object, method, ...values) {
  const [holder] = holders.find(([, member]) => object === member || Object.getPrototypeOf(object) === member);
  called(`${holder}.${method}`);
  return new Promise((resolve, reject) => {
    object[method](...values, (error, answer) => (error ? reject(error) : resolve(answer)));
  });
}

export const client = Object.assign(new Clients(CLIENT_ID, CLIENT_SECRET, false), { baseUrl: HOST });

// A user who may send and receive.
export async function verifiedUser() {
  const user = await ask(Users, 'create', client, FINGERPRINT, IP, {
    logins: [{ email: 'javascriptTest@example.com', password: 'test1234', read_only: false }],
    phone_numbers: ['901.111.1111'],
    legal_names: ['Node TestUser'],
    extra: { note: 'Interesting user', supp_id: '122eddfgbeafrfvbbb', is_business: false },
  });
  await sandbox.verify(user.json._id);
  return user;
}
