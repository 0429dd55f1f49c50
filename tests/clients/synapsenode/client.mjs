// synapsenode 1.2.17 as its users have it: only `client.host` is set. What steps call is noted on the way.

import { randomUUID } from 'node:crypto';
import synapsenode from 'synapsenode';
import { called } from '../harness/run.mjs';
import { CLIENT_ID, CLIENT_SECRET, HOST, sandbox } from '../harness/server.mjs';

const { Client, User } = synapsenode;

export const IP = '127.0.0.1';
export const SSN = '111-11-2222'; // ends in 2222: verified by the sandbox
export const FINGERPRINT = 'e83cf6ddcf778e37bfe3d48fc78a6502062fc';

const methodsOf = (type) => Object.getOwnPropertyNames(type.prototype)
  .filter((name) => name !== 'constructor')
  .map((name) => `${type.name}.${name}`);

export const methods = [...methodsOf(Client), ...methodsOf(User)];

// Looks like the object and notes the names of the methods that are called; users that come back are seen so too.
const noted = (object) => new Proxy(object, {
  get(target, name) {
    const member = target[name];
    if (typeof member !== 'function') return member;
    return (...values) => {
      called(`${target.constructor.name}.${name}`);
      const answer = member.apply(target, values);
      return answer instanceof Promise ? answer.then(notedUser) : answer;
    };
  },
});

const notedUser = (found) => (found instanceof User ? noted(found) : found);

const options = {
  client_id: CLIENT_ID, client_secret: CLIENT_SECRET, fingerprint: FINGERPRINT, ip_address: IP, isProduction: false,
};

// A client with these credentials in place of the platform's own.
export const clientWith = (credentials) => noted(Object.assign(new Client({ ...options, ...credentials }), { host: HOST }));
export const client = clientWith({});

export const baseDocument = {
  email: 'maria.silva@example.com',
  phone_number: '901.111.1111',
  ip: IP,
  name: 'Maria Silva',
  alias: 'Maria',
  entity_type: 'F',
  entity_scope: 'Arts & Entertainment',
  day: 2,
  month: 5,
  year: 1989,
  address_street: '1 Market St',
  address_city: 'San Francisco',
  address_subdivision: 'CA',
  address_postal_code: '94105',
  address_country_code: 'US',
};

export const newUser = {
  logins: [{ email: 'maria.silva@example.com' }],
  phone_numbers: ['901.111.1111'],
  legal_names: ['Maria Silva'],
  extra: { supp_id: 'maria-1', cip_tag: 1, is_business: false },
};

// A word that no other record holds, to find one's own by.
export const uniqueWord = () => `W${randomUUID().slice(0, 8)}`;

// A user who may send and receive.
export async function verifiedUser() {
  const user = await client.createUser(newUser, IP);
  await sandbox.verify(user.id);
  return user;
}

// A node of the user's, of the type given.
export async function nodeOf(user, type = 'DEPOSIT-US', info = { nickname: 'Checking' }) {
  const { data } = await user.createNode({ type, info });
  return data.nodes[0];
}

export const accountInfo = {
  nickname: 'Bank account', account_num: '1232225674134', routing_num: '021000021', type: 'PERSONAL', class: 'CHECKING',
};
