/** Permissions as values: equal ones are one object, with the actions of a caller (D16, D17). */
import { ContentAccess, type Grants, Permissions, type WhereOf } from 'nestjs-content-api';
import type { Caller } from '../../src/content/access/caller.ts';
import { decide, decideRead, isPersonal } from '../../src/content/access/decide.ts';
import type { Action } from '../../src/content/access/actions.ts';
import { buildSchema } from '../../src/content/model/build-schema.ts';
import type { ContentType } from '../../src/content/model/model.ts';

const schema = buildSchema(
  [
    {
      kind: 'collectionType',
      singularApiId: 'note',
      pluralApiId: 'notes',
      draftAndPublish: true,
      owner: 'writer',
      attributes: { writer: { type: 'string' }, text: { type: 'text' } },
    },
    { kind: 'collectionType', singularApiId: 'tag', pluralApiId: 'tags', attributes: {} },
  ],
  [],
);
const typeOf = (name: string): ContentType => schema.types.get(name) as ContentType;
const [note, tag] = [typeOf('note'), typeOf('tag')];

type Lists = readonly Grants[];

const mine: WhereOf = () => ({ text: 'mine' });
const NARROW: Grants = { note: [{ actions: ['find'], fields: ['text'] }] };

const EQUAL: readonly [string, Lists, Lists][] = [
  ['in another order', [{ note: ['find', 'create'] }], [{ note: ['create', 'find'] }]],
  ['of types in another order', [{ note: ['find'], tag: ['find'] }], [{ tag: ['find'], note: ['find'] }]],
  ['in two lists', [{ note: ['find'] }, { tag: ['find'] }], [{ note: ['find'], tag: ['find'] }]],
  ['said twice', [{ note: ['find'] }, { note: ['find'] }], [{ note: ['find'] }]],
  ['spelt as an object', [{ note: [{ actions: ['find'] }] }], [{ note: ['find'] }]],
  ['of all actions, one by one', [{ tag: '*' }], [{ tag: [{ actions: '*' }] }]],
  [
    'on attributes in another order',
    [{ note: [{ actions: ['find'], fields: ['text', 'writer'] }] }],
    [{ note: [{ actions: ['find'], fields: ['writer', 'text'] }] }],
  ],
  [
    'on attributes that add up',
    [
      {
        note: [
          { actions: ['find'], fields: ['text'] },
          { actions: ['find'], fields: ['writer'] },
        ],
      },
    ],
    [{ note: [{ actions: ['find'], fields: ['writer', 'text'] }] }],
  ],
  [
    'on attributes that all of them cover',
    [{ note: [{ actions: ['find'], fields: ['text'] }, 'find'] }],
    [{ note: ['find'] }],
  ],
  ['covered by every type', [{ '*': ['find'], note: ['find'] }], [{ '*': ['find'] }]],
  [
    'own ones covered by all',
    [{ note: ['update', { actions: ['update'], own: true }] }],
    [{ note: ['update'] }],
  ],
  [
    'own ones covered by every type',
    [{ '*': ['update'], note: [{ actions: ['update'], own: true }] }],
    [{ '*': ['update'] }],
  ],
  ['that are all actions', [{ '*': '*' }, { note: ['find'] }], [{ '*': '*' }]],
  ['of nothing', [{ note: [] }], []],
];

const DIFFERENT: readonly [string, Lists, Lists][] = [
  ['another action', [{ note: ['find'] }], [{ note: ['findOne'] }]],
  ['another type', [{ note: ['find'] }], [{ tag: ['find'] }]],
  ['one type and every type', [{ note: ['find'] }], [{ '*': ['find'] }]],
  ['some attributes and all', [{ note: [{ actions: ['find'], fields: ['text'] }] }], [{ note: ['find'] }]],
  [
    'other attributes',
    [{ note: [{ actions: ['find'], fields: ['text'] }] }],
    [{ note: [{ actions: ['find'], fields: ['writer'] }] }],
  ],
  ['no attributes and no grant', [{ note: [{ actions: ['find'], fields: [] }] }], []],
  ['own documents and all', [{ note: [{ actions: ['update'], own: true }] }], [{ note: ['update'] }]],
];

describe('equal permissions are one object', () => {
  it.each(EQUAL)('%s', (_what, a, b) => {
    expect(Permissions.of(...a)).toBe(Permissions.of(...b));
  });

  it.each(DIFFERENT)('but not %s', (_what, a, b) => {
    expect(Permissions.of(...a)).not.toBe(Permissions.of(...b));
    expect(Permissions.of(...a).id).not.toBe(Permissions.of(...b).id);
  });

  it('all permissions are one object, however many others were created since', () => {
    for (let n = 0; n < 5000; n += 1) Permissions.of({ [`type${n}`]: ['find'] });
    expect(Permissions.of({ '*': '*' })).toBe(Permissions.ALL);
  });

  it('also after they were merged', () => {
    const sum = Permissions.of({ note: ['find'] }).plus(Permissions.of({ tag: ['find'] }));
    expect(sum).toBe(Permissions.of({ note: ['find'], tag: ['find'] }));
    expect(Permissions.of({ note: ['find'] }).plus(Permissions.of({ tag: ['find'] }))).toBe(sum);
    expect(sum.plus(Permissions.of({ note: ['find'] }))).toBe(sum);
  });
});

describe('permissions cover others', () => {
  const some = (fields?: readonly string[]): Grants => ({
    note: [{ actions: ['find'], where: mine, ...(fields === undefined ? {} : { fields }) }],
  });
  const own = { note: [{ actions: ['find'], own: true }] } satisfies Grants;

  it.each<[string, Lists, Lists, boolean]>([
    ['themselves', [some(['text']), own], [some(['text']), own], true],
    ['fewer attributes of all documents', [{ note: ['find'] }], [some(['text'])], true],
    ['fewer attributes of some documents', [some()], [some(['text'])], true],
    ['more attributes of some documents', [some(['text'])], [some()], false],
    ['all attributes of some of all documents', [NARROW], [some()], false],
    ['other attributes of some of all documents', [NARROW], [some(['writer'])], false],
    ['the same attributes of some of all documents', [NARROW], [some(['text'])], true],
    ['own documents, of which more attributes are shown alone', [some(['text']), own], [own], false],
  ])('%s', (_what, a, b, expected) => {
    expect(Permissions.of(...a).covers(Permissions.of(...b))).toBe(expected);
  });
});

describe('permissions of roles', () => {
  const accessTo = (roles: Record<string, Grants>, source: Record<string, Grants> = {}): ContentAccess =>
    new ContentAccess({
      schema,
      strategies: [],
      roles: { public: {}, ...roles },
      sources: [{ load: () => Promise.resolve(source) }],
      maxAge: 1000,
      check: () => null,
      warn: (message) => {
        throw new Error(message);
      },
    });
  const access = accessTo({ reader: { note: ['find'] }, writer: { note: ['create'] }, idle: {} });

  const SAME: readonly [string, readonly string[], readonly string[]][] = [
    ['in another order', ['reader', 'writer'], ['writer', 'reader']],
    ['named twice', ['reader', 'reader'], ['reader']],
    ['together with unknown roles', ['reader', 'cn=staff', 'toString', '__proto__'], ['reader']],
    ['together with roles without grants', ['idle', 'reader', 'public'], ['reader']],
    ['none and unknown ones', ['cn=staff'], []],
  ];
  it.each(SAME)('are one object: %s', async (_what, a, b) => {
    expect(await access.permissionsOf(a)).toBe(await access.permissionsOf(b));
  });

  it('are merged', async () => {
    const both = await access.permissionsOf(['reader', 'writer']);
    expect(both).toBe(Permissions.of({ note: ['find', 'create'] }));
  });

  it('remain one object when their source is queried again', async () => {
    const changing = accessTo({ reader: { note: ['find'] } }, { reader: { tag: ['find'] } });
    const before = await changing.permissionsOf(['reader']);
    changing.refresh();
    expect(await changing.permissionsOf(['reader'])).toBe(before);
    expect(before).toBe(Permissions.of({ note: ['find'], tag: ['find'] }));
  });
});

describe('decisions', () => {
  const OWN: Grants = { note: [{ actions: ['find', 'findOne', 'update', 'readDrafts'], own: true }] };
  const caller = (kind: Caller['kind'], grants: Grants): Caller => ({
    kind,
    id: kind === 'user' || kind === 'token' ? 'ann' : null,
    permissions: Permissions.of(grants),
  });
  const own = { kind: 'own', owner: note.storage.columnOf.get('writer'), user: 'ann' };

  const DECISIONS: readonly [string, Caller, ContentType, Action, unknown][] = [
    ['granted actions', caller('public', { note: ['find'] }), note, 'find', 'all'],
    ['actions granted on every type', caller('token', { '*': ['find'] }), tag, 'find', 'all'],
    ['another action', caller('public', { note: ['find'] }), note, 'update', 'none'],
    ['some attributes', caller('user', { note: [{ actions: ['find'], fields: [] }] }), note, 'find', 'all'],
    ['own documents of a user', caller('user', OWN), note, 'update', own],
    ['own documents of a token', caller('token', OWN), note, 'update', 'none'],
    ['own documents of the public', caller('public', OWN), note, 'update', 'none'],
    ['own documents without a user', { ...caller('user', OWN), id: null }, note, 'update', 'none'],
    ['own documents together with all', caller('user', { ...OWN, '*': ['update'] }), note, 'update', 'all'],
    ['own documents without an owner', caller('user', { tag: OWN['note'] ?? [] }), tag, 'update', 'none'],
    ['the host', { kind: 'system', id: null, permissions: Permissions.ALL }, note, 'publish', 'all'],
  ];
  it.each(DECISIONS)('%s', (_what, asker, type, action, decision) => {
    expect(decide(asker, type, action)).toEqual(decision);
  });

  const FIND: Grants = { note: ['find'] };
  const DRAFTS: readonly [string, Caller, ContentType, boolean, unknown][] = [
    ['published, with find', caller('user', FIND), note, true, 'all'],
    ['drafts, with only find', caller('user', FIND), note, false, 'none'],
    ['drafts, with both', caller('user', { note: ['find', 'readDrafts'] }), note, false, 'all'],
    ['drafts, of a type without drafts', caller('user', { tag: ['find'] }), tag, false, 'all'],
    ['drafts, with only readDrafts', caller('user', { note: ['readDrafts'] }), note, false, 'none'],
    [
      'drafts, with find on all and readDrafts on own',
      caller('user', { note: ['find', { actions: ['readDrafts'], own: true }] }),
      note,
      false,
      own,
    ],
    [
      'drafts, with readDrafts on all and find on own',
      caller('user', { note: ['readDrafts', { actions: ['find'], own: true }] }),
      note,
      false,
      own,
    ],
    ['drafts, with both on own', caller('user', OWN), note, false, own],
  ];
  it.each(DRAFTS)('for reads of %s', (_what, asker, type, published, decision) => {
    expect(decideRead(asker, type, { action: 'find', published })).toEqual(decision);
  });

  const PERSONAL: readonly [string, Caller, ContentType, Action, boolean][] = [
    ['a read of own documents', caller('user', OWN), note, 'find', true],
    ['the same of a token', caller('token', OWN), note, 'find', false],
    [
      'a write of own documents',
      caller('user', { note: ['find', { actions: ['update'], own: true }] }),
      note,
      'update',
      true,
    ],
    [
      'a read together with it',
      caller('user', { note: ['find', 'findOne', { actions: ['update'], own: true }] }),
      note,
      'find',
      false,
    ],
    ['a type without an owner', caller('user', { tag: ['find'] }), tag, 'find', false],
  ];
  it.each(PERSONAL)('plan that depends on the user or not: %s', (_what, asker, type, action, personal) => {
    expect(isPersonal(asker, type, action)).toBe(personal);
  });
});
