// Documents of a user: added, changed, removed.

import assert from 'node:assert/strict';
import { refused, succeeded } from '../harness/expect.mjs';
import { world as newWorld } from '../harness/run.mjs';
import {
  IP, SSN, baseDocument, client, newUser,
} from './client.mjs';
import { isUser } from './shapes.mjs';

const world = newWorld();

const typesOf = (parts) => parts.map(({ document_type: type }) => type).toSorted();

function documentsOf({ status, data }) {
  assert.equal(status, 200);
  succeeded(data);
  isUser(data);
  return data.documents;
}

export default {
  async 'add a document with a part of each kind'() {
    world.user = await client.createUser(newUser, IP);
    const [document, ...others] = documentsOf(await world.user.addUserKyc({
      documents: [{
        ...baseDocument,
        virtual_docs: [{ document_value: SSN, document_type: 'SSN' }],
        physical_docs: [{ document_value: 'data:image/gif;base64,SUQs==', document_type: 'GOVT_ID' }],
        social_docs: [{ document_value: 'https://www.facebook.com/valid', document_type: 'FACEBOOK' }],
      }],
    }));
    assert.deepEqual(others, []);
    assert.equal(document.name, 'Maria Silva');
    assert.deepEqual(typesOf(document.virtual_docs), ['SSN']);
    assert.deepEqual(typesOf(document.physical_docs), ['GOVT_ID']);
    assert.deepEqual(typesOf(document.social_docs), ['ADDRESS', 'DATE', 'EMAIL', 'FACEBOOK', 'IP', 'PHONE_NUMBER']);
    world.document = document.id;
  },

  async 'change a field of it'() {
    const documents = documentsOf(await world.user.updateUser({
      documents: [{ id: world.document, entity_scope: 'Lawyer', alias: 'Mary' }],
    }));
    assert.deepEqual(documents.map(({ id }) => id), [world.document]);
    assert.equal(documents[0].name, 'Maria Silva');
  },

  async 'add a part to it'() {
    const documents = documentsOf(await world.user.addUserKyc({
      documents: [{ id: world.document, virtual_docs: [{ document_value: '12-3456789', document_type: 'TIN' }] }],
    }));
    assert.equal(documents.length, 1);
    assert.deepEqual(typesOf(documents[0].virtual_docs), ['SSN', 'TIN']);
  },

  async 'a document that is not there'() {
    await refused(world.user.updateUser({ documents: [{ id: 'f'.repeat(64), alias: 'Mary' }] }), 404, '404');
  },

  async 'add a second one and remove it'() {
    const added = documentsOf(await world.user.addUserKyc({ documents: [{ ...baseDocument, name: 'Maria Two' }] }));
    assert.deepEqual(added.map(({ name }) => name), ['Maria Silva', 'Maria Two']);
    const removal = { documents: [{ id: added[1].id, permission_scope: 'DELETE_DOCUMENT' }] };
    const left = documentsOf(await world.user.deleteExistingDocument(removal));
    assert.deepEqual(left.map(({ name }) => name), ['Maria Silva']);
  },
};
