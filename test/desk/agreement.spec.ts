/** The description for the desk agrees with the access rule, for every caller of the access table. */
import {
  type Action,
  type ContentTypeDefinition,
  defineCollectionType,
  type Grants,
  Permissions,
} from 'nestjs-content-api';
import { buildSchema } from '../../src/content/model/build-schema.ts';
import { describeForDesk } from '../../src/features/desk/describe-for-desk.ts';
import { resolveSettings } from '../../src/kernel/settings.ts';
import { CALLERS } from '../access/callers.ts';
import { library, TYPES } from '../access/model.ts';
import { type Ask, may, mayWrite, scope } from '../access/rule.ts';
import { callerOf } from '../openapi/support.ts';

const SCHEMA = buildSchema(library.contentTypes, library.components);
const VERBS = ['find', 'findOne', 'create', 'update', 'delete', 'readDrafts'] as const;

describe.each(Object.entries(CALLERS))('the desk of %s', (_name, { asker }) => {
  const model = describeForDesk({
    schema: SCHEMA,
    settings: resolveSettings({}),
    caller: callerOf(asker),
  });
  const asks = [...TYPES].flatMap(([type, { kind, draftAndPublish }]) =>
    VERBS.filter((action) => kind !== 'singleType' || !['findOne', 'create'].includes(action))
      .filter((action) => action !== 'readDrafts' || draftAndPublish === true)
      .map((action: Action): Ask => ({ ...asker, type, action, draft: false, foreign: true })),
  );
  const shown = (name: string) => model.types.find((one) => one.name === name);

  it('has the verbs that the rule permits', () => {
    for (const ask of asks) {
      const verb = shown(ask.type)?.verbs[ask.action] ?? 'none';
      const expected = shown(ask.type) === undefined && ask.action === 'readDrafts' ? 'none' : scope(ask);
      expect([ask.type, ask.action, verb]).toEqual([ask.type, ask.action, expected]);
    }
  });

  it('has the attributes that the rule permits, for each action', () => {
    for (const ask of asks.filter(({ action }) => !['delete', 'readDrafts'].includes(action))) {
      const { type, action } = ask;
      const isRead = action === 'find' || action === 'findOne';
      const found = (shown(type)?.attributes ?? [])
        .filter(({ actions }) => (actions as readonly Action[]).includes(action))
        .map(({ name }) => name);
      const definitions = Object.entries(TYPES.get(type)?.attributes ?? {});
      // Components with relations that have no target can be written without these relations.
      const isPart = (key: string): boolean =>
        ['component', 'dynamiczone'].includes(TYPES.get(type)?.attributes[key]?.type ?? '');
      const allowed = definitions
        .map(([key]) => key)
        .filter(
          (key) =>
            scope(ask) !== 'none' &&
            (isRead ? may(ask, [key]) : mayWrite(ask, key) || (isPart(key) && found.includes(key))),
        );
      expect([type, action, found.sort()]).toEqual([type, action, allowed.sort()]);
    }
  });
});

describe('stages', () => {
  const story = defineCollectionType({
    singularApiId: 'story',
    pluralApiId: 'stories',
    draftAndPublish: true,
    stages: {
      draft: { to: ['ready'], label: { en: 'In work', de: 'In Arbeit' } },
      ready: { to: ['draft'], publish: true },
    },
    attributes: { title: { type: 'string' }, note: { type: 'string' } },
  });
  const shownIn = (type: ContentTypeDefinition, grants: Grants, language = 'en') =>
    describeForDesk({
      language,
      schema: buildSchema([type], []),
      settings: resolveSettings({}),
      caller: { kind: 'user', id: '1', permissions: Permissions.of(grants) },
    }).types.find(({ name }) => name === type.singularApiId);
  const shownTo = (grants: Grants, language = 'en') => shownIn(story, grants, language);

  it('have the moves that the caller may make, and a column', () => {
    const all = { draft: { to: ['ready'], publish: false }, ready: { to: ['draft'], publish: true } };
    expect(shownTo({ '*': '*' })).toMatchObject({ stages: all, list: ['title', 'stage', 'note'] });
    expect(shownTo({ story: ['find', { actions: ['move'], stages: ['draft'] }] })?.stages).toEqual({
      ...all,
      draft: { to: [], publish: false },
    });
  });

  it('have the names of the host in the language of the desk', () => {
    const namesIn = (language: string): unknown =>
      shownTo({ '*': '*' }, language)?.attributes.find(({ name }) => name === 'stage')?.values;
    expect([namesIn('de'), namesIn('xx')]).toEqual([{ draft: 'In Arbeit' }, { draft: 'In work' }]);
  });

  it('have a name in the language of the desk, and can be named as a column', () => {
    const labelIn = (language: string): unknown =>
      shownTo({ '*': '*' }, language)?.attributes.find(({ name }) => name === 'stage')?.label;
    expect([labelIn('de'), labelIn('en')]).toEqual(['Stufe', 'Stage']);
    const named = defineCollectionType({
      singularApiId: 'named',
      pluralApiId: 'named-ones',
      draftAndPublish: true,
      stages: { draft: { to: [] } },
      desk: { list: ['stage', 'title'] },
      attributes: { title: { type: 'string' } },
    });
    expect(shownIn(named, { '*': '*' })?.list).toEqual(['stage', 'title']);
  });

  it('are not shown to callers who cannot read them', () => {
    expect(shownTo({ story: [{ actions: ['find', 'move'], fields: ['title'] }] })?.stages).toBeNull();
  });
});
