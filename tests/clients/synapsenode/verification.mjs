// Questions about the world outside.

import assert from 'node:assert/strict';
import { integers, refused, strings, succeeded } from '../harness/expect.mjs';
import { client } from './client.mjs';

const MARKET_STREET = {
  address_street: '1 Market St. STE 500',
  address_city: 'San Francisco',
  address_subdivision: 'CA',
  address_postal_code: '94105',
  address_country_code: 'US',
};

function answered({ status, data }) {
  assert.equal(status, 200);
  succeeded(data);
  return data;
}

export default {
  async 'banks to log in at'() {
    const { banks, banks_count: count } = answered(await client.getInstitutions());
    assert.equal(banks.length, count);
    assert.ok(banks.some((bank) => bank.bank_code === 'fake'), 'the sandbox has no bank');
    for (const bank of banks) {
      strings(bank, ['bank_code', 'bank_name', 'forgotten_password', 'logo']);
      integers(bank, ['tx_history_months']);
      assert.equal(typeof bank.is_active, 'boolean');
      assert.ok(Array.isArray(bank.features), 'features');
    }
  },

  async 'a routing number'() {
    for (const type of ['ACH-US', 'WIRE-US']) {
      const found = answered(await client.verifyRoutingNumber({ routing_num: '021000021', type }));
      assert.equal(found.bank_name, 'JPMorgan Chase Bank');
    }
    await refused(client.verifyRoutingNumber({ routing_num: '021000022', type: 'ACH-US' }), 409, '400');
    await refused(client.verifyRoutingNumber({ routing_num: '0210000', type: 'ACH-US' }), 400, '200');
  },

  async 'an address'() {
    const found = answered(await client.verifyAddress(MARKET_STREET));
    assert.equal(found.deliverability, 'usps_deliverable');
    assert.equal(found.normalized_address.address_street, '1 MARKET ST STE 500');
    const nowhere = answered(await client.verifyAddress({ ...MARKET_STREET, address_street: '123 Fail Address' }));
    assert.equal(nowhere.deliverability, 'google_undeliverable');
    await refused(client.verifyAddress({}), 400, '200');
  },
};
