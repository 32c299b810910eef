/**
 * Plans writes: merges a body into stored values, and derives the steps. The table `VERBS` has one row per
 * action: permission, events, locks and steps.
 */
import type { Action } from '../access/actions.js';
import { userOf } from '../access/caller.js';
import { bodyError, type Issue, notFound, type Refusal } from '../../kernel/errors.js';
import type { Attribute } from '../model/model.js';
import { isPublishedSide } from '../model/published-side.js';
import { columnValues } from './column-values.js';
import { endApprovals } from './ended-approvals.js';
import { FoundTargets, resolverOf } from './found-targets.js';
import { linksOfTransition, linksOfWrite } from './link-steps.js';
import type { LoadedState } from './loaded.js';
import { locksOfDelete, locksOfTransition, locksOfWrite } from './locks.js';
import type { Lock } from '../../pool/locks.js';
import { planValues, type WriteValues } from './plan-values.js';
import type { UniqueValue } from './plan-value.js';
import type { WriteStep } from './steps.js';
import { reportDuplicates } from './unique-values.js';
import { isUnmodified } from './versions.js';
import type { CheckedBody, Restores, Verb, WriteEvent, WritePlan, WriteTarget } from './write-plan.js';

export interface CheckedValues {
  readonly writeValues: WriteValues;
  readonly uniques: readonly UniqueValue[];
  readonly issues: Issue[];
  readonly refusals: readonly Refusal[];
}

export const isRefused = ({ issues, refusals }: CheckedValues): boolean =>
  issues.length + refusals.length > 0;

/** Throws all errors of a body as one 400 (protocol 14.21). */
export function throwProblems(checked: CheckedValues): void {
  if (isRefused(checked)) throw bodyError(checked.refusals, checked.issues);
}

export interface WriteTools {
  readonly strictRelations: boolean;
  readonly newDocumentId: () => string;
  /** Id of a created document; null for a new one. */
  readonly documentId: string | null;
  /** Creation time of created versions; null for the present. */
  readonly createdAt: string | null;
  /** User who created the created versions; null for none, undefined for the caller. */
  readonly createdBy: string | null | undefined;
}

export interface BodyWrite {
  readonly target: WriteTarget;
  readonly body: CheckedBody;
  readonly restores?: Restores;
}

/** Merges a body into the stored values, and collects its errors (protocol 8 and 11 to 14). */
export function checkedValues(
  { target, body, restores = null }: BodyWrite,
  loaded: LoadedState,
  tools: WriteTools,
): CheckedValues {
  const { type, locale, publish } = target;
  const issues: Issue[] = [];
  const uniques: UniqueValue[] = [];
  const unhashed: string[] = [];
  const refusals = [...body.refusals];
  const { versions, stored, published } = loaded;
  const ids = [...loaded.ids];
  const writeValues = planValues(
    type,
    { given: body.values, stored, versions: published === null ? [] : [published] },
    {
      draft: type.draftAndPublish && !publish,
      missingIsNull: type.draftAndPublish,
      newLocale: versions.own === undefined && versions.base !== undefined,
      complete: versions.own === undefined || (type.draftAndPublish && publish),
      strictRelations: tools.strictRelations,
      restores: restores !== null || isPublishedSide(type),
      revives: restores === 'deleted',
      issues,
      refusals,
      uniques,
      newInstance: () => ({ id: ids.shift() ?? 0, documentId: tools.newDocumentId() }),
      hash: (password) => {
        const hash = body.hashes.get(password);
        if (hash === undefined) unhashed.push(password);
        return hash ?? '';
      },
      resolver: (given, linked) =>
        resolverOf(given, linked, (type) => loaded.targets.get(type) ?? new FoundTargets(type, [], locale)),
      telling: body.telling,
      isSent: body.isSent,
    },
  );
  reportDuplicates(uniques);
  const checked = { writeValues, uniques, issues, refusals };
  if (unhashed.length > 0 && !isRefused(checked))
    throw new Error('A password in an accepted body has no hash');
  return checked;
}

export interface PlannedSteps {
  readonly documentId: string | null;
  readonly steps: readonly WriteStep[];
}

export interface StepsRequest {
  readonly plan: WritePlan;
  readonly loaded: LoadedState;
  readonly writeValues: WriteValues | null;
}

type StepsOf = (request: StepsRequest, tools: WriteTools) => PlannedSteps;

const rowsOfWrite: StepsOf = ({ plan, loaded, writeValues }, tools) => {
  const { target, body } = plan;
  if (body === null || writeValues === null) throw new Error(`A ${plan.verb} needs a body`);
  const { type, locale, publish } = target;
  const { versions } = loaded;
  const { own, base, published } = versions;
  const documentId = versions.documentId ?? tools.documentId ?? tools.newDocumentId();
  return {
    documentId,
    steps: [
      {
        kind: 'rows',
        type,
        documentId,
        locale,
        values: columnValues(type, writeValues, {
          caller: plan.caller,
          isNew: own === undefined,
          createdBy: tools.createdBy,
        }),
        row: own?.id ?? null,
        live: published?.id ?? null,
        unmodified: isUnmodified(versions),
        hasOthers: versions.all.some((version) => version.locale !== locale),
        base: base?.id ?? null,
        createdAt: own === undefined ? tools.createdAt : null,
        publish,
        links: linksOfWrite({ ...plan, body, documentId, loaded, writeValues }),
      },
      ...endApprovals(plan, versions),
    ],
  };
};

/** Step that creates missing drafts, which an older model did not have. */
const draftsOf = ({ type }: WriteTarget, { draftless }: LoadedState): WriteStep[] =>
  draftless.has(type) ? [{ kind: 'drafts', type, documentIds: draftless.get(type) ?? [] }] : [];

const localeOf = ({ locale, everyLocale }: WriteTarget): string | null => (everyLocale ? null : locale);

/**
 * Publishing one locale is an update with an empty body; publishing all locales copies the drafts as they
 * are.
 */
const publishSteps: StepsOf = (request, tools) => {
  const { target } = request.plan;
  if (!target.everyLocale) return rowsOfWrite(request, tools);
  const { documentId } = request.loaded.versions;
  if (documentId === null) throw notFound();
  const links = linksOfTransition({ ...request.plan, documentId, loaded: request.loaded }, true);
  return { documentId, steps: [{ kind: 'publish', type: target.type, documentId, locale: null, links }] };
};

const unpublishSteps: StepsOf = ({ plan: { target }, loaded }) => {
  const { type, documentId } = target;
  const locale = localeOf(target);
  return {
    documentId: loaded.versions.documentId,
    steps: [...draftsOf(target, loaded), { kind: 'unpublish', type, documentId, locale }],
  };
};

const discardSteps: StepsOf = ({ plan, loaded }) => {
  const { target } = plan;
  const { type, everyLocale } = target;
  const { documentId, all } = loaded.versions;
  const live = everyLocale ? all.some((row) => row.published) : loaded.versions.published !== undefined;
  if (!live || documentId === null) throw notFound();
  const links = linksOfTransition({ ...plan, documentId, loaded }, false);
  return {
    documentId,
    steps: [
      ...draftsOf(target, loaded),
      { kind: 'discard', type, documentId, locale: localeOf(target), links },
      ...endApprovals(plan, loaded.versions),
    ],
  };
};

const deleteSteps: StepsOf = ({ plan: { target, caller }, loaded }) => {
  const { type, documentId } = target;
  const document = { type, documentId, locale: localeOf(target) };
  const unscheduled: WriteStep[] = type.draftAndPublish ? [{ kind: 'unschedule', ...document }] : [];
  const deletion: WriteStep = { kind: 'delete', ...document, by: userOf(caller) };
  return { documentId: loaded.versions.documentId, steps: [deletion, ...unscheduled] };
};

interface LocksRequest {
  readonly target: WriteTarget;
  readonly body: CheckedBody | null;
}

export interface VerbRow {
  /** Action that must be granted. */
  readonly right: Action;
  readonly body: 'create' | 'update' | null;
  /** Whether the version in the locale must exist, instead of any version of the document. */
  readonly ofLocale: boolean;
  readonly events: (target: WriteTarget) => readonly WriteEvent[];
  readonly locks: (request: LocksRequest) => readonly Lock[];
  readonly steps: StepsOf;
}

function publishing(event: WriteEvent, { type, publish }: WriteTarget): readonly WriteEvent[] {
  if (isPublishedSide(type)) return ['publish'];
  return type.draftAndPublish && publish ? [event, 'publish'] : [event];
}

const lockedWrite = ({ target, body }: LocksRequest): readonly Lock[] =>
  body === null ? [] : locksOfWrite(target, body);

const lockedTransition = ({ target }: LocksRequest): readonly Lock[] => locksOfTransition(target);

export const VERBS: Readonly<Record<Verb, VerbRow>> = {
  create: {
    right: 'create',
    body: 'create',
    ofLocale: false,
    events: (target) => publishing('create', target),
    locks: lockedWrite,
    steps: rowsOfWrite,
  },
  update: {
    right: 'update',
    body: 'update',
    ofLocale: false,
    events: (target) => publishing('update', target),
    locks: lockedWrite,
    steps: rowsOfWrite,
  },
  delete: {
    right: 'delete',
    body: null,
    ofLocale: true,
    events: () => ['delete'],
    locks: ({ target }) => locksOfDelete(target),
    steps: deleteSteps,
  },
  publish: {
    right: 'publish',
    body: 'update',
    ofLocale: true,
    events: (target) => publishing('update', target),
    locks: lockedTransition,
    steps: publishSteps,
  },
  unpublish: {
    right: 'publish',
    body: null,
    ofLocale: true,
    events: () => ['unpublish'],
    locks: lockedTransition,
    steps: unpublishSteps,
  },
  discardDraft: {
    right: 'publish',
    body: null,
    ofLocale: true,
    events: () => ['discardDraft'],
    locks: lockedTransition,
    steps: discardSteps,
  },
};

/** Value of a unique attribute that an error may disclose; undefined if it may not name the attribute. */
type Disclosed = { readonly value?: unknown } | undefined;

/**
 * Returns what an error may disclose about each unique attribute of a type. Values are included only if the
 * caller sent them.
 */
export function tellableValues(
  { target: { type }, body }: BodyWrite,
  writeValues: WriteValues,
): [Attribute, Disclosed][] {
  const told = (attribute: Attribute, said: Disclosed): [Attribute, Disclosed] => [
    attribute,
    body.telling(attribute) === 'nothing' ? undefined : said,
  ];
  return [
    ...type.storage.uniqueTogether.map((attribute) => told(attribute, {})),
    ...type.storage.uniques.map((attribute) =>
      told(attribute, body.isSent(attribute) ? { value: writeValues.values.get(attribute) } : {}),
    ),
  ];
}
