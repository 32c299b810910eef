/**
 * Changes of models on two databases that differ only in content hidden from the public: changed drafts,
 * private attributes and hashes. Before the change, after it and on the way back, both must return the same
 * bytes. Otherwise hidden content has become visible.
 */
import { type Action, CONTENT_SCHEMA, type ContentSchema, migrateContent } from 'nestjs-content-api';
import { copyDatabase, createDatabase, type TestDatabase } from '../support/database.ts';
import type { Host } from '../http/helpers.ts';
import { ADMIN, apiOf, applyStatements, type Change, type Model, ormOf, routesOf, start } from './run.ts';

/** Responses of the two databases of a change. */
export interface WorldsOutcome {
  readonly name: string;
  readonly questions: number;
  /** Whether a caller with all permissions can distinguish them; otherwise the comparison proves nothing. */
  readonly differ: boolean;
}

type Type = ContentSchema['file'];
type Column = Type['storage']['columns'][number];

const isHidden = ({ attribute }: Column): boolean => attribute.private || attribute.def.type === 'password';

/** Other values of a column that convert as well as the stored one. */
const OTHERS: Readonly<Record<string, (name: string) => string>> = {
  text: (
    name,
  ) => `case when ${name} ~ '^[a-zA-Z ]+[0-9]*$' and ${name} not in ('true', 'false') then ${name} || ' omega'
    when ${name} like '$argon2%' then ${name} || 'omega' else ${name} end`,
  int4: (name) => `${name} + 1`,
  int8: (name) => `${name} + 1`,
  boolean: (name) => `not ${name}`,
  'timestamptz(3)': (name) => `${name} + interval '1 day'`,
  date: (name) => `${name} + 1`,
  jsonb: (name) => `regexp_replace(${name}::text, '": "([a-zA-Z ]{1,20})"', '": "\\1 omega"', 'g')::jsonb`,
};

/** Values of an enumeration do not change, and link columns contain no values. */
const otherValue = ({ name, type, attribute, reference, placeOf }: Column): string | null => {
  const isValue = attribute.def.type !== 'enumeration' && reference === null && placeOf === null;
  const other = isValue ? OTHERS[type]?.(`"${name}"`) : undefined;
  return other === undefined ? null : `"${name}" = ${other}`;
};

/** Condition of a draft that differs from its published version, or has none. */
const modified = (table: string): string => `not published and not exists (select 1 from "${table}" p
  where p.document_id = "${table}".document_id and p.locale = "${table}".locale and p.published and p.revision = "${table}".revision)`;

/** Returns the statements that change only hidden content of a type. */
function hiddenChanges({ table, draftAndPublish, storage }: Type): string[] {
  const set = (columns: readonly Column[]): string =>
    columns.flatMap((one) => otherValue(one) ?? []).join(', ');
  const [hidden, all] = [set(storage.columns.filter(isHidden)), set(storage.columns)];
  const drafts =
    draftAndPublish && all !== '' ? [`update "${table}" set ${all} where ${modified(table)}`] : [];
  return [...drafts, ...(hidden === '' ? [] : [`update "${table}" set ${hidden}`])];
}

/** Returns all public requests of a model. */
function questionsOf(model: Model): string[] {
  const names = new Set(model.contentTypes.flatMap(({ attributes }) => Object.keys(attributes)));
  const queries = [...names].flatMap((name) => [`&sort=${name}`, `&filters[${name}][$contains]=omega`]);
  return [...new Set(routesOf(model))].flatMap((path) =>
    ['', '&publicationFilter=modified', '&_q=omega', ...queries].map((more) => path + more),
  );
}

type Pair = readonly [alpha: Host, omega: Host];

async function read(host: Host, path: string, headers = {}): Promise<string> {
  const answer = await fetch(host.url + path, { headers });
  const kept = [...answer.headers].filter(([name]) => !['date', 'etag', 'x-request-id'].includes(name));
  return JSON.stringify([answer.status, kept, await answer.text()]);
}

async function sameForAll([alpha, omega]: Pair, model: Model, when: string): Promise<number> {
  const questions = questionsOf(model);
  for (const path of questions) {
    const [one, other] = [await read(alpha, path), await read(omega, path)];
    if (one !== other) throw new Error(`${when}, ${path} distinguishes the databases:\n  ${one}\n  ${other}`);
  }
  return questions.length;
}

async function differFor([alpha, omega]: Pair, model: Model): Promise<boolean> {
  for (const path of routesOf(model))
    if ((await read(alpha, path, ADMIN)) !== (await read(omega, path, ADMIN))) return true;
  return false;
}

/** Applies a change to both databases. Throws an Error with the content that has become visible. */
export async function runWorlds(change: Change, grants: readonly Action[] = []): Promise<WorldsOutcome> {
  const { name, before } = change;
  const databases: TestDatabase[] = [await createDatabase()];
  const hosts: Host[] = [];
  const open = async (model: Model): Promise<Pair> => {
    const [alpha, omega = alpha] = databases;
    if (alpha === undefined || omega === undefined) throw new Error('there is no database');
    const pair: Pair = [await start(alpha, model, grants), await start(omega, model, grants)];
    hosts.push(...pair);
    return pair;
  };
  const closeAll = async (): Promise<void> => {
    for (const host of hosts.splice(0)) await host.close();
  };
  try {
    const [first] = await open(before);
    await migrateContent({ orm: ormOf(first), model: before });
    await change.data(apiOf(change, first));
    await closeAll();
    databases.push(await copyDatabase(databases[0]?.url ?? ''));
    const old = await open(before);
    const [, omega] = old;
    for (const type of omega.app.get<ContentSchema>(CONTENT_SCHEMA, { strict: false }).types.values())
      for (const statement of hiddenChanges(type)) await omega.sql(statement);
    const differ = await differFor(old, before);
    let questions = await sameForAll(old, before, `${name}: before`);

    const after = change.refused === undefined ? change.after : change.refused.model;
    if (after === undefined) return { name, questions, differ };
    const down: (readonly string[] | null)[] = [];
    for (const host of old) down.push((await migrateContent({ orm: ormOf(host), model: after })).down);
    const next = await open(after);
    questions += await sameForAll(next, after, `${name}: after`);
    const [back] = down;
    if (back === null || back === undefined) return { name, questions, differ };
    for (const host of old) await applyStatements(host, back);
    questions += await sameForAll(old, before, `${name}: back`);
    return { name, questions, differ };
  } finally {
    await closeAll();
    for (const database of databases) await database.drop();
  }
}
