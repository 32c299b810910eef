/** The desk shows who created a document and who changed it last, to editors who may read users. */
import { defineCollectionType, type Grants, Permissions } from 'nestjs-content-api';
import { userTypes } from 'nestjs-content-api/accounts';
import { authorsEntry, authorsIn } from '../../desk/src/model/authors.ts';
import { Model } from '../../desk/src/model/model.ts';
import { en } from '../../desk/src/texts/en.ts';
import { buildSchema } from '../../src/content/model/build-schema.ts';
import { describeForDesk } from '../../src/features/desk/describe-for-desk.ts';
import { resolveSettings } from '../../src/kernel/settings.ts';

const post = defineCollectionType({
  singularApiId: 'post',
  pluralApiId: 'posts',
  authors: true,
  attributes: { title: { type: 'string' } },
});
const SCHEMA = buildSchema([post, ...userTypes()], []);

function modelFor(grants: Grants): Model {
  const caller = { kind: 'user', id: 'ann', permissions: Permissions.of(grants) } as const;
  const described = describeForDesk({ schema: SCHEMA, settings: resolveSettings({}), caller });
  const people = { users: [], roles: [], tokens: [] };
  return new Model({ ...described, people, webhooks: [], audit: false, releases: false });
}

const entriesOf = (model: Model): unknown => {
  const type = model.type('post');
  return type === null ? null : authorsEntry(model, type);
};

describe('authors in the desk', () => {
  it('are requested by name, and are not fields of the form', () => {
    const model = modelFor({ post: '*', user: ['find'] });
    expect(entriesOf(model)).toEqual({
      createdBy: { fields: ['username'] },
      updatedBy: { fields: ['username'] },
    });
    expect(model.type('post')?.attributes.map(({ name }) => name)).toEqual(['title']);
  });

  it('are not requested for editors who may not read users, or not these attributes', () => {
    expect(entriesOf(modelFor({ post: '*' }))).toEqual({});
    const narrow = { post: [{ actions: ['find', 'findOne'], fields: ['title', 'updatedBy'] }] } as const;
    expect(entriesOf(modelFor({ ...narrow, user: ['find'] }))).toEqual({
      updatedBy: { fields: ['username'] },
    });
  });

  it('are named beside the time of the last change', () => {
    const data = { createdBy: { documentId: 'a', username: 'ann' }, updatedBy: null };
    expect(authorsIn(data, modelFor({ post: '*', user: ['find'] }))).toEqual({
      createdBy: 'ann',
      updatedBy: null,
    });
    expect(authorsIn(data, modelFor({ post: '*' }))).toEqual({ createdBy: null, updatedBy: null });
    expect(en.updatedAt('today', 'bob')).toBe('Changed today by bob');
    expect(en.updatedAt('today', null)).toBe('Changed today');
  });
});
