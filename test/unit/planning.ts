/** Plans a write without a database, from a body and stored values. */
import { Permissions } from 'nestjs-content-api';
import type { Caller } from '../../src/content/access/caller.ts';
import { ContentError } from '../../src/kernel/errors.ts';
import { planBody } from '../../src/content/plan/body.ts';
import { type FoundRow, FoundTargets } from '../../src/content/plan/found-targets.ts';
import { type PlannedSteps, VERBS, checkedValues, throwProblems } from '../../src/content/plan/plan-write.ts';
import { writeRightsOf } from '../../src/content/plan/write-rights.ts';
import type { WriteValues } from '../../src/content/plan/plan-values.ts';
import type { StoredValues } from '../../src/content/plan/stored-instances.ts';
import { type VersionRow, versionsOf } from '../../src/content/plan/versions.ts';
import type { CheckedBody, Verb, WritePlan, WriteTarget } from '../../src/content/plan/write-plan.ts';
import type { ContentType, Schema } from '../../src/content/model/model.ts';

const HOST: Caller = { kind: 'system', id: null, permissions: Permissions.ALL };
const MAX_NODES = 10_000;
/** First id of a new instance; new documents have the id `new`. */
const FIRST_ID = 100;
const FRESH_IDS = 20;

export interface Planning {
  readonly schema: Schema;
  readonly type: ContentType;
  readonly data?: object;
  readonly verb?: Verb;
  /** Only the draft is written. */
  readonly draft?: boolean;
  readonly locale?: string;
  /** Stored values of the version to write; without them the document is new. */
  readonly stored?: StoredValues | null;
  readonly published?: StoredValues | null;
  /** Existing versions; by default one if `stored` is given. */
  readonly rows?: readonly VersionRow[];
  /** Documents that can be linked, by type. */
  readonly found?: Readonly<Record<string, readonly FoundRow[]>>;
  readonly strictRelations?: boolean;
}

const row = (id: number, published: boolean, locale = 'en'): VersionRow => ({
  id,
  documentId: 'doc',
  locale,
  published,
  revision: String(id),
  covered: String(id),
  kept: false,
  stamp: `${id}`,
  own: true,
  live: true,
  shown: true,
});

const rowsOf = ({ type, stored = null, published = null }: Planning): VersionRow[] => [
  ...(stored === null ? [] : [row(1, !type.draftAndPublish)]),
  ...(published === null ? [] : [row(2, true)]),
];

interface Planned extends PlannedSteps {
  readonly body: CheckedBody;
  readonly written: WriteValues;
  readonly target: WriteTarget;
}

/** Plans the write; throws the error that the client would get. */
function planned(planning: Planning): Planned {
  const { schema, type, data = {}, stored = null, published = null, locale = 'en', found = {} } = planning;
  const rows = planning.rows ?? rowsOf(planning);
  const verb = planning.verb ?? (rows.length === 0 ? 'create' : 'update');
  const publish = planning.draft !== true || !type.draftAndPublish;
  const target = {
    type,
    documentId: rows[0]?.documentId ?? null,
    locale,
    linkLocale: locale,
    everyLocale: false,
    publish,
  };
  const action = verb === 'create' ? 'create' : 'update';
  const rights = writeRightsOf(HOST, { type, action, published: publish });
  const checked = planBody({ data }, type, {
    rights,
    changed: new Set(),
    former: null,
    creator: null,
    preset: new Map(),
    maxNodes: MAX_NODES,
    strict: false,
  });
  const body = { ...checked, hashes: new Map(checked.passwords.map((one) => [one, `hash of ${one}`])) };
  const versions = versionsOf(rows, type, locale);
  const loaded = {
    versions,
    stored,
    published,
    ids: Array.from({ length: FRESH_IDS }, (_, i) => FIRST_ID + i),
    draftless: new Map(),
    each: [],
    unlinked: new Set<never>(),
    model: null,
    targets: new Map(
      Object.entries(found).map(([name, list]) => {
        const of = schema.types.get(name) as ContentType;
        return [of, new FoundTargets(of, list, locale)];
      }),
    ),
  };
  const tools = {
    strictRelations: planning.strictRelations === true,
    newDocumentId: () => 'new',
    documentId: null,
    createdAt: null,
    createdBy: undefined,
  };
  const values = ['create', 'update'].includes(verb) ? checkedValues({ target, body }, loaded, tools) : null;
  if (values !== null) throwProblems(values);
  const writeValues = values?.writeValues ?? null;
  const plan: WritePlan = {
    verb,
    target,
    caller: HOST,
    requestId: null,
    right: VERBS[verb].right,
    locks: VERBS[verb].locks({ target, body }),
    precondition: null,
    state: null,
    events: VERBS[verb].events(target),
    body,
  };
  const steps = VERBS[verb].steps({ plan, loaded, writeValues }, tools);
  return { ...steps, body, target, written: writeValues ?? { values: new Map(), lists: new Map() } };
}

/** Returns the values and lists of a write by attribute name. */
export const valuesOf = (planning: Planning): Record<string, unknown> => {
  const { written } = planned(planning);
  return Object.fromEntries(
    [...written.values, ...written.lists].map(([attribute, value]) => [attribute.name, value]),
  );
};

/** Returns the steps that a write runs in the database. */
export const stepsOf = (planning: Planning): PlannedSteps['steps'] => planned(planning).steps;

/** Returns the error response to a write. */
export function refusalOf(planning: Planning): object {
  try {
    planned(planning);
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    const { name, message, details } = error;
    return { name, message, details };
  }
  throw new Error('The write was not rejected');
}
