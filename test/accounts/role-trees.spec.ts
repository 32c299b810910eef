/** Trees of permissions that a client reads, changes and sends back (protocol 18.29). */
import fc from 'fast-check';
import { ContentAccess, defineCollectionType, type Grant, type Grants } from 'nestjs-content-api';
import { apiTokenType, userTypes } from 'nestjs-content-api/accounts';
import { type AccountsWorld, startAccounts } from '../security/accounts-world.ts';
import { dose } from '../support/dose.ts';

const TYPES = [
  defineCollectionType({
    singularApiId: 'team',
    pluralApiId: 'teams',
    attributes: { name: { type: 'string' } },
  }),
  defineCollectionType({
    singularApiId: 'article',
    pluralApiId: 'articles',
    owner: 'writer',
    draftAndPublish: true,
    stages: { open: { to: ['done'] }, done: { to: ['open'] } },
    attributes: {
      title: { type: 'string' },
      level: { type: 'integer' },
      writer: { type: 'string' },
      team: { type: 'relation', relation: 'manyToOne', target: 'team' },
    },
  }),
  defineCollectionType({
    singularApiId: 'vault',
    pluralApiId: 'vaults',
    routes: false,
    attributes: { code: { type: 'string' }, level: { type: 'integer' } },
  }),
  ...userTypes(),
  apiTokenType,
];
const ACTIONS = ['find', 'findOne', 'create', 'update', 'delete', 'readDrafts', 'publish', 'move'] as const;
const OPENED = ['desk', 'audit', 'releases'];
const SUBJECTS = [
  ...['team', 'article', 'vault', 'user', 'role', 'api-token', 'file'],
  ...['locale', 'content-type-builder'],
];
/** Subjects and actions whose names in trees differ. */
const NAMES: Readonly<Record<string, string>> = { locales: 'locale', 'content-api': 'file' };
const MEANT: Readonly<Record<string, readonly string[]>> = {
  upload: ['create', 'update'],
  destroy: ['delete'],
  listLocales: ['find'],
};
const ROLES = '/users-permissions/roles';

const actions = fc.oneof(
  fc.constant('*' as const),
  fc.subarray([...ACTIONS], { minLength: 1, maxLength: 3 }),
);
const where = fc.constantFrom({ level: 1 }, { level: { $gt: 2 } }, { team: { documentId: { $null: true } } });
const grantOf = (subject: string): fc.Arbitrary<Grant> => {
  const plain = fc.oneof(fc.constantFrom(...ACTIONS), fc.record({ actions }));
  if (subject === 'vault')
    return fc.oneof(plain, fc.record({ actions, fields: fc.constantFrom(['code'], ['level']) }));
  if (subject !== 'article') return plain;
  const fields = fc.subarray(['title', 'level', 'team'], { minLength: 1 });
  const preset = fc.constantFrom({ title: 'new' }, { level: 3 });
  return fc.oneof(
    plain,
    fc.record({ actions, fields, where, preset }, { requiredKeys: ['actions'] }),
    fc.record({ actions, fields, own: fc.constant(true) }, { requiredKeys: ['actions', 'own'] }),
    fc.record({ actions: fc.constant(['move' as const, 'find' as const]), stages: fc.constant(['done']) }),
  );
};
const listOf = (subject: string): fc.Arbitrary<Grants[string]> =>
  OPENED.includes(subject)
    ? fc.constant(['open' as const])
    : fc.oneof(
        { weight: 6, arbitrary: fc.array(grantOf(subject), { minLength: 1, maxLength: 3 }) },
        { weight: 1, arbitrary: fc.constant('*' as const) },
      );
const grants: fc.Arbitrary<Grants> = fc
  .uniqueArray(
    fc
      .constantFrom(...SUBJECTS, ...OPENED, '*')
      .chain((subject) => fc.tuple(fc.constant(subject), listOf(subject))),
    { selector: ([subject]) => subject, maxLength: 8 },
  )
  .map((lists) => Object.fromEntries(lists));

const actionsOn = (subject: string): readonly string[] => (OPENED.includes(subject) ? ['open'] : ACTIONS);

/** Limits of actions other than `move`, with the names within them. */
const LIMITS = ['fields', 'own', 'where', 'preset', 'level', '$gt', 'team', 'documentId', '$null', 'title'];

/** Returns each granted action on each subject with its limits, in a fixed order. */
function entriesOf(granted: Grants): string[] {
  const listed = Object.entries(granted).flatMap(([subject, list]) =>
    (list === '*' ? [{ actions: '*' as const }] : list).flatMap((grant) => {
      const { actions: named, ...limits } = typeof grant === 'string' ? { actions: [grant] } : grant;
      const subjects = subject === '*' ? [...SUBJECTS, ...OPENED] : [subject];
      return subjects.flatMap((on) =>
        actionsOn(on)
          .filter((action) => named === '*' || named.some((one) => one === action))
          .map((action) => `${on} ${action} ${JSON.stringify(limits, action === 'move' ? null : LIMITS)}`),
      );
    }),
  );
  return [...new Set(listed)].sort();
}

interface Box {
  readonly place: readonly [string, string, string];
  readonly subject: string;
  readonly leaf: { readonly enabled: boolean };
}

const boxesOf = (tree: Readonly<Record<string, any>>): Box[] =>
  Object.entries(tree).flatMap(([group, { controllers }]) =>
    Object.entries<Record<string, any>>(controllers).flatMap(([controller, leaves]) =>
      Object.entries(leaves).map(([action, leaf]): Box => ({
        place: [group, controller, action],
        subject: NAMES[controller] ?? controller,
        leaf,
      })),
    ),
  );

describe('trees that are sent back', () => {
  let world: AccountsWorld;
  let manager: string;
  let ids: Readonly<Record<string, string>> = {};
  beforeAll(async () => {
    world = await startAccounts(
      'express',
      {},
      {
        contentTypes: TYPES,
        access: {
          roles: { manager: { role: '*' }, coded: { team: ['find'], article: ['find'] } },
          maxAge: 600_000,
        },
      },
    );
    await world.get('/users/me');
    manager = (await world.withRole('manager')).jwt;
    await world.post(ROLES, { name: 'Member' }, manager);
    const { roles } = (await world.get(ROLES, manager)).body;
    ids = Object.fromEntries(roles.map(({ type, documentId }: any) => [type, documentId]));
  });
  afterAll(() => world.close());

  const store = async (given: Grants, role = 'member'): Promise<void> => {
    await world.sql('update content_roles set grants = $1 where type = $2', [JSON.stringify(given), role]);
    world.app.get(ContentAccess, { strict: false }).refresh();
  };
  const stored = async (role = 'member'): Promise<Grants> => {
    const [row] = await world.sql('select grants from content_roles where type = $1', [role]);
    return (row as { grants: Grants | null }).grants ?? {};
  };
  const shown = async (role = 'member'): Promise<Record<string, any>> =>
    (await world.get(`${ROLES}/${ids[role]}`, manager)).body.role.permissions;
  const send = async (permissions: unknown, role = 'member'): Promise<void> => {
    const { status, body } = await world.put(`${ROLES}/${ids[role]}`, { permissions }, manager);
    expect([status, body]).toEqual([200, { ok: true }]);
  };
  const withBox = (tree: Record<string, any>, { place }: Box, leaf: object): object => {
    const copy = structuredClone(tree);
    const [group, controller, action] = place;
    copy[group].controllers[controller][action] = leaf;
    return copy;
  };

  it('18.29 any tree sent back as it was read changes no grant', async () => {
    await fc.assert(
      fc.asyncProperty(grants, async (given) => {
        await store(given);
        const before = await stored();
        const tree = await shown();
        await send(tree);
        expect(await stored()).toEqual(before);
        expect(await shown()).toEqual(tree);
      }),
      { numRuns: dose(12, 300) },
    );
  });

  it('18.29 a changed box changes only the grants of its action', async () => {
    await fc.assert(
      fc.asyncProperty(grants, fc.nat(), async (given, n) => {
        await store(given);
        const before = await stored();
        const tree = await shown();
        const boxes = boxesOf(tree);
        const box = boxes[n % boxes.length] as Box;
        const leaf = { enabled: !box.leaf.enabled, policy: '' };
        const sent = withBox(tree, box, leaf);
        await send(sent);
        const meant = (MEANT[box.place[2]] ?? [box.place[2]]).map((action) => `${box.subject} ${action} `);
        const rest = (all: Grants) =>
          entriesOf(all).filter((entry) => !meant.some((one) => entry.startsWith(one)));
        expect(rest(await stored())).toEqual(rest(before));
        expect(await shown()).toEqual(sent);
      }),
      { numRuns: dose(12, 300) },
    );
  });

  it('18.29 a changed condition keeps the attributes of the grant', async () => {
    await store({ article: [{ actions: ['find', 'findOne'], fields: ['title'], where: { level: 1 } }] });
    const box = boxesOf(await shown()).find(
      ({ subject, place }) => subject === 'article' && place[2] === 'find',
    ) as Box;
    await send(withBox(await shown(), box, { ...box.leaf, where: { level: 2 } }));
    const kept = { actions: ['findOne'], fields: ['title'], where: { level: 1 } };
    expect(await stored()).toEqual({
      article: [kept, { actions: ['find'], fields: ['title'], where: { level: 2 } }],
    });
    await send(withBox(await shown(), box, { ...box.leaf, where: null }));
    expect(await stored()).toEqual({ article: [kept, { actions: ['find'], fields: ['title'] }] });
  });

  it('18.29 grants in code are not stored', async () => {
    const tree = await shown('coded');
    expect(tree['api::team'].controllers.team.find.enabled).toBe(true);
    await send(tree, 'coded');
    expect(await stored('coded')).toEqual({});
    const box = boxesOf(tree).find(({ subject, place }) => subject === 'team' && place[2] === 'delete');
    await send(withBox(tree, box as Box, { enabled: true, policy: '' }), 'coded');
    expect(await stored('coded')).toEqual({ team: ['delete'] });
  });

  it('18.29 an empty list removes every grant, and grants that no longer fit the model stay until then', async () => {
    const given: Grants = {
      gone: ['find'],
      vault: ['find'],
      article: [{ actions: ['find'], fields: ['gone'] }],
    };
    await store(given);
    const tree = await shown();
    await send(tree);
    expect(await stored()).toEqual(given);
    const box = boxesOf(tree).find(({ subject, place }) => subject === 'article' && place[2] === 'find');
    await send(withBox(tree, box as Box, { enabled: true, policy: '' }));
    expect(await stored()).toEqual({ gone: ['find'], vault: ['find'], article: ['find'] });
    await send([]);
    expect(await stored()).toEqual({});
  });

  it('18.29 a malformed tree is a 400 with key and path, and removes no grant', async () => {
    await store({ team: ['find'] });
    const at = (controllers: unknown): object => ({ 'api::team': { controllers } });
    const cases: readonly [object, string, string][] = [
      [{ 'api::team': 5 }, 'permissions.api::team', 'an object'],
      [at('team'), 'permissions.api::team.controllers', 'an object'],
      [at({ team: ['find'] }), 'permissions.api::team.controllers.team', 'an object'],
      ...[true, {}, { enabled: 'true' }].map((find): [object, string, string] => [
        at({ team: { find } }),
        'permissions.api::team.controllers.team.find',
        'an object with "enabled": true or false',
      ]),
    ];
    for (const [permissions, path, expected] of cases) {
      const { status, body } = await world.put(`${ROLES}/${ids['member']}`, { permissions }, manager);
      const details = { key: path.slice(path.lastIndexOf('.') + 1), path, source: 'body' };
      expect([status, body.error.message, body.error.details]).toEqual([
        ...[400, `${path} must be ${expected}`, details],
      ]);
    }
    const named = await world.put(`${ROLES}/${ids['member']}`, { name: { a: 1 } }, manager);
    expect(named.body.error.details).toEqual({ key: 'name', path: 'name', source: 'body' });
    expect(await stored()).toEqual({ team: ['find'] });
  });
});
