/**
 * OpenAPI document of each caller of the access table: valid, with all permitted operations and nothing else.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SpecData, Validator } from '@seriousme/openapi-schema-validator';
import { type Action, defineCollectionType } from 'nestjs-content-api';
import { SYSTEM } from '../../src/content/access/caller.ts';
import type { Grants } from '../../src/content/access/permissions.ts';
import { authPaths } from '../../src/features/accounts/auth-paths.ts';
import { userTypes } from '../../src/features/accounts/account-types.ts';
import { userPaths } from '../../src/features/accounts/user-paths.ts';
import { resolveUsersOptions } from '../../src/features/accounts/users.options.ts';
import { filePaths } from '../../src/features/media/file-paths.ts';
import type { ContentDocument, JsonSchema } from '../../src/content/openapi/document.ts';
import type { AttributeDefinitions } from '../../src/content/model/definitions.ts';
import { CALLERS } from '../access/callers.ts';
import { library, routeOf, TYPES } from '../access/model.ts';
import { ALWAYS, type Ask, may, mayWrite, scope } from '../access/rule.ts';
import { CALLERS as READERS, isSecret, mayRead, schema as fuzzSchema } from '../fuzz/leak-worlds.ts';
import { model } from '../fuzz/model.ts';
import { dose } from '../support/dose.ts';
import { callerOf, documentOf } from './support.ts';
import { strictly } from './oracle.ts';

const accounts = [
  authPaths(resolveUsersOptions({ secret: 'a secret of the tests that is long enough', refresh: true })),
  userPaths,
  filePaths,
];

const everything = { ...model, contentTypes: [...model.contentTypes, ...userTypes()] };

/** Documents of each caller, and those with all content. */
const DOCUMENTS: ReadonlyMap<string, ContentDocument> = new Map([
  ...Object.entries(CALLERS).map(([name, { asker }]): [string, ContentDocument] => [
    name,
    documentOf(library, callerOf(asker)),
  ]),
  ['everything', documentOf(everything, SYSTEM, {}, accounts)],
  ['everything in the v4 format', documentOf(everything, SYSTEM, { format: 'v4' }, accounts)],
  ['everything without counts', documentOf(everything, SYSTEM, { counts: false }, accounts)],
  ['nothing', documentOf(library, callerOf({ grants: [], user: false }, 'public'), {}, accounts)],
]);

const documentFor = (name: string): ContentDocument => DOCUMENTS.get(name) as ContentDocument;

const copyOf = (document: ContentDocument): SpecData => JSON.parse(JSON.stringify(document)) as SpecData;

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1 for one validator, for every caller', async () => {
    const validator = new Validator();
    const wrong: string[] = [];
    for (const [name, document] of DOCUMENTS) {
      const { valid, errors } = await validator.validate(copyOf(document));
      if (!valid) wrong.push(`${name}: ${JSON.stringify(errors).slice(0, 500)}`);
      expect(validator.version).toBe('3.1');
    }
    expect(wrong).toEqual([]);
  });

  it('is valid OpenAPI 3.1 for another validator, for every caller', () => {
    const folder = mkdtempSync(join(tmpdir(), 'content-openapi-'));
    try {
      const names = dose(['everything'], [...DOCUMENTS.keys()]);
      const files = names.map((name, i) => {
        const file = join(folder, `${i}.json`);
        writeFileSync(file, JSON.stringify(DOCUMENTS.get(name)));
        return file;
      });
      const command = join(import.meta.dirname, '../../node_modules/@redocly/cli/bin/cli.js');
      // Confirming an address redirects to a page.
      const rules = ['info-license', 'operation-2xx-response'];
      const skipped = rules.flatMap((rule) => ['--skip-rule', rule]);
      const said = execFileSync(
        process.execPath,
        [command, 'lint', ...files, '--format=json', '--max-problems=20', ...skipped],
        {
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'ignore'],
          env: { ...process.env, REDOCLY_TELEMETRY: 'off' },
        },
      );
      const totals = [...said.matchAll(/"totals": (\{[^}]*\})/g)].map(
        ([, found = '']) => JSON.parse(found) as object,
      );
      expect(totals).toHaveLength(files.length);
      for (const found of totals) expect(found).toMatchObject({ errors: 0, warnings: 0 });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('describes each operation and tag, and has an example for each body of a document', () => {
    const { paths, tags } = documentFor('everything');
    const operations = Object.values(paths).flatMap((one) => Object.values(one));
    expect(operations.length).toBeGreaterThan(50);
    expect(operations.filter(({ description }) => !/\.$/.test(description))).toEqual([]);
    expect(tags.filter(({ description }) => description === '')).toEqual([]);
    const writes = operations.filter(({ operationId }) => /_(?:create|update)$/.test(operationId));
    const ofTypes = writes.filter(({ operationId }) => !/^(?:Users|Roles)_/.test(operationId));
    expect(ofTypes.length).toBeGreaterThan(10);
    for (const { requestBody } of ofTypes)
      expect(requestBody?.content['application/json']?.example).toMatchObject({ data: expect.any(Object) });
  });

  it('names in descriptions and examples only what the caller may use', () => {
    const person = defineCollectionType({
      singularApiId: 'person',
      pluralApiId: 'people',
      attributes: { title: { type: 'string' }, salary: { type: 'integer', required: true } },
    });
    const grants = [{ person: [{ actions: ['find', 'create'], fields: ['title'] }] }] as const;
    const document = documentOf({ contentTypes: [person] }, callerOf({ grants, user: false }, 'public'));
    expect(Object.keys(document.paths)).toContain('/api/people');
    expect(JSON.stringify(document)).toContain('"example":{"data":{"title":"A short text"}}');
    expect(JSON.stringify(document)).not.toContain('salary');
  });

  it('has no bulk request for a caller who may do none of its actions', () => {
    const memo = defineCollectionType({
      singularApiId: 'memo',
      pluralApiId: 'memos',
      draftAndPublish: true,
      attributes: { title: { type: 'string' } },
    });
    const pathsFor = (actions: readonly ('find' | 'publish' | 'update')[]): string[] => {
      const caller = callerOf({ grants: [{ memo: [{ actions }] }], user: false });
      return Object.keys(documentOf({ contentTypes: [memo] }, caller).paths);
    };
    expect(pathsFor(['find', 'publish'])).not.toContain('/api/memos/bulk');
    expect(pathsFor(['find', 'update'])).toContain('/api/memos/bulk');
  });

  it('is invalid for both after an error is added', async () => {
    const document = copyOf(documentFor('everything')) as any;
    delete document.info.version;
    expect((await new Validator().validate(document)).valid).toBe(false);
  });

  it('has a target for every reference, and unique names', () => {
    for (const document of DOCUMENTS.values()) {
      const text = JSON.stringify(document);
      const used = new Set(
        [...text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)].map(([, a, b]) => `${a} ${b}`),
      );
      const { schemas, parameters, responses } = document.components;
      const made = Object.entries({ schemas, parameters, responses }).flatMap(([section, parts]) =>
        Object.keys(parts).map((name) => `${section} ${name}`),
      );
      expect([...used].sort()).toEqual(made.sort());
      const ids = [...text.matchAll(/"operationId":"([^"]+)"/g)].map(([, id]) => id);
      expect(new Set(ids).size).toBe(ids.length);
    }
  });
});

/** Resolves the references of a schema. */
function behind(document: ContentDocument, schema: JsonSchema | undefined): any {
  const name = /^#\/components\/(\w+)\/(.+)$/.exec(String(schema?.['$ref']));
  if (name === null) return schema;
  return (document.components as any)[name[1] ?? ''][name[2] ?? ''];
}

const ROUTES: readonly (readonly [Action, string, boolean])[] = [
  ['find', 'get', false],
  ['findOne', 'get', true],
  ['create', 'post', false],
  ['update', 'put', true],
  ['delete', 'delete', true],
];

const sorted = (names: Iterable<string>): string[] => [...names].sort();

/** Whether the caller may see the state of documents (8.33). */
function showsState(ask: Ask): boolean {
  const { draftAndPublish = false, localized = false } = TYPES.get(ask.type) ?? {};
  return draftAndPublish ? scope({ ...ask, action: 'readDrafts' }) !== 'none' : localized;
}

describe.each(Object.entries(CALLERS))('the document of %s', (name, { asker }) => {
  const document = documentFor(name);
  const cases = [...TYPES].flatMap(([type, { kind }]) =>
    ROUTES.filter(([action]) => kind !== 'singleType' || !['findOne', 'create'].includes(action)).map(
      ([action, method, onOne]) => {
        const ask: Ask = { ...asker, type, action, draft: false, foreign: true };
        return {
          ask,
          operation: (document.paths as any)[routeOf(type, onOne ? '{documentId}' : undefined)]?.[method],
        };
      },
    ),
  );

  it('has the routes that the access rules permit', () => {
    for (const { ask, operation } of cases)
      expect([ask.type, ask.action, operation !== undefined]).toEqual([
        ask.type,
        ask.action,
        scope(ask) !== 'none',
      ]);
  });

  it('has the attributes that the caller may read, filter, sort by and write', () => {
    for (const { ask, operation } of cases.filter((one) => one.operation !== undefined)) {
      const { type, action } = ask;
      const attributes = Object.keys(TYPES.get(type)?.attributes ?? {});
      const localized = TYPES.get(type)?.localized === true ? ['localizations'] : [];
      const readable = [...ALWAYS, ...attributes, ...localized].filter(
        // The response to a written draft may go to a caller that cannot read drafts.
        (key) => may(ask, [key]) || (action === 'update' && may({ ...ask, draft: true }, [key])),
      );
      const said = (parameter: string): any => {
        const all = (operation.parameters ?? []).map((one: JsonSchema) => behind(document, one));
        return behind(document, all.find((one: { name: string }) => one.name === parameter)?.schema);
      };
      if (action !== 'delete') {
        const [answer]: any[] =
          Object.entries(operation.responses).find(([status]) => status.startsWith('2')) ?? [];
        const { data } = operation.responses[answer].content['application/json'].schema.properties;
        const shown = behind(document, data.items ?? data).properties as object;
        const state = showsState(ask) ? ['__state'] : [];
        expect([type, action, sorted(Object.keys(shown))]).toEqual([
          type,
          action,
          sorted([...readable, ...state]),
        ]);
      }
      if (action !== 'delete')
        expect([type, said('withState') !== undefined]).toEqual([type, showsState(ask)]);
      if (action === 'find') {
        const filters = Object.keys(said('filters').properties as object).filter(
          (key) => !key.startsWith('$'),
        );
        const zones = attributes.filter((key) => TYPES.get(type)?.attributes[key]?.type === 'dynamiczone');
        expect(sorted(filters)).toEqual(sorted(readable.filter((key) => !zones.includes(key))));
      }
      if (action === 'create' || action === 'update') {
        const { data } = operation.requestBody.content['application/json'].schema.properties;
        const written = Object.keys(behind(document, data).properties as object);
        // Components with relations that have no target can be written without these relations.
        const isPart = (key: string): boolean =>
          ['component', 'dynamiczone'].includes(TYPES.get(type)?.attributes[key]?.type ?? '');
        const writable = attributes.filter(
          (key) => mayWrite(ask, key) || (isPart(key) && written.includes(key)),
        );
        expect([type, action, sorted(written)]).toEqual([type, action, sorted(writable)]);
      }
    }
  });
});

/** Name that no model contains. */
const token = (n: number): string => `unsaid${n}`;

/** Conditions name attributes, so they do not fit a model with other names. */
const hasConditions = (grants: Grants): boolean =>
  Object.values(grants)
    .flatMap((list) => (list === '*' ? [] : list))
    .some((grant) => typeof grant === 'object' && 'where' in grant);

describe.each(Object.entries(READERS).filter(([, grants]) => !hasConditions(grants)))(
  'the document of the caller "%s" of the leak test',
  (_name, grants) => {
    it('contains no name that is hidden from the caller', () => {
      const hidden = new Map<string, string>();
      const nameFor = (owner: string, key: string): string => {
        const known = hidden.get(`${owner}.${key}`) ?? token(hidden.size);
        hidden.set(`${owner}.${key}`, known);
        return known;
      };
      const readable = new Map(
        [...fuzzSchema.types.values()].map((type) => [
          type.singularApiId,
          type.internal || mayRead(grants, type),
        ]),
      );
      const secretOf = (owner: string, key: string): boolean => {
        const of = fuzzSchema.types.get(owner) ?? fuzzSchema.components.get(owner);
        const attribute = of?.attributes.get(key);
        return (
          attribute !== undefined && of !== undefined && isSecret(attribute, of, grants, ['find', 'findOne'])
        );
      };
      const typeName = (type: string): string => (readable.get(type) === false ? nameFor(type, '') : type);
      const keyOf = (owner: string, key: string | undefined): string =>
        key !== undefined && secretOf(owner, key) ? nameFor(owner, key) : (key ?? '');
      const rename = (owner: string, attributes: AttributeDefinitions): AttributeDefinitions =>
        Object.fromEntries(
          Object.entries(attributes).map(([key, def]) => {
            const one: any = { ...def };
            const target: string | undefined = one.target;
            if (one.inversedBy !== undefined) one.inversedBy = keyOf(target ?? '', one.inversedBy as string);
            if (one.mappedBy !== undefined) one.mappedBy = keyOf(target ?? '', one.mappedBy as string);
            if (one.morphBy !== undefined) one.morphBy = keyOf(target ?? '', one.morphBy as string);
            if (target !== undefined) one.target = typeName(target);
            if (one.targets !== undefined) one.targets = (one.targets as string[]).map(typeName);
            if (one.targetField !== undefined) one.targetField = keyOf(owner, one.targetField as string);
            return [keyOf(owner, key), one];
          }),
        );
      const contentTypes = model.contentTypes.map((type) => ({
        ...type,
        singularApiId: typeName(type.singularApiId),
        ...(readable.get(type.singularApiId) === false
          ? { pluralApiId: `${typeName(type.singularApiId)}s` }
          : {}),
        attributes: rename(type.singularApiId, type.attributes),
      }));
      const components = model.components.map((one) => ({
        ...one,
        attributes: rename(one.uid, one.attributes),
      }));
      const told = (of: object): string =>
        JSON.stringify(documentOf({ ...model, ...of }, callerOf({ grants: [grants], user: false })));
      expect(hidden.size).toBeGreaterThan(50);
      const text = told({ contentTypes, components });
      expect(text).not.toContain('unsaid');
      // The document does not depend on hidden names.
      expect(text).toBe(told({}));
    });
  },
);

describe('other forms of the description', () => {
  const responseOf = (document: ContentDocument, type: string): any =>
    behind(document, { $ref: `#/components/schemas/${type}` });

  it('17.2, 17.3: in the v4 format has attributes and data', () => {
    const article = responseOf(documentFor('everything in the v4 format'), 'Article');
    expect(Object.keys(article.properties as object)).toEqual(['id', 'documentId', 'attributes']);
    expect(article.properties.attributes.properties.author.anyOf[0].properties.data.anyOf[0]).toEqual({
      $ref: '#/components/schemas/Author',
    });
  });

  it('4.12: has counts of relations by default', () => {
    const counted = responseOf(documentFor('everything'), 'Article').properties;
    expect(counted.categories.anyOf).toContainEqual({ $ref: '#/components/schemas/Count' });
    const { properties } = responseOf(documentFor('everything without counts'), 'Article');
    expect(properties.categories).toEqual({
      type: 'array',
      items: { $ref: '#/components/schemas/Category' },
    });
    expect(JSON.stringify(documentFor('everything without counts'))).not.toContain('"count":{');
  });

  it('14.1–14.12: inputs have the bounds of their attributes', () => {
    const { properties, additionalProperties } = responseOf(documentFor('everything'), 'NewArticle');
    expect(additionalProperties).toBe(false);
    expect(properties.title).toEqual({ type: 'string', minLength: 3, maxLength: 120 });
    expect(properties.views).toMatchObject({ type: ['integer', 'null'], minimum: 0 });
    expect(properties.views.description).toBe('Default of a new document: 0.');
    expect(properties.password).toMatchObject({ writeOnly: true, format: 'password' });
    expect(properties.kind).toEqual({ type: ['string', 'null'], enum: ['news', 'essay', null] });
  });

  it('allows unknown members in responses', () => {
    expect(responseOf(documentFor('everything'), 'Article').additionalProperties).toBeUndefined();
    expect((strictly(responseOf(documentFor('everything'), 'Article')) as any).additionalProperties).toBe(
      false,
    );
  });
});
