/**
 * One write: queue, load, settle, rows and links; at most six statements with the answer, whatever the number
 * of targets.
 */
import { compileLinks, linkBatches, type LinkCopy, type LinksRequest } from '../compile/compile-links.js';
import { compileStartDrafts } from '../compile/compile-drafts.js';
import { compileQueue, compileVersions, type Lock } from '../compile/compile-load.js';
import {
  type ColumnValues,
  compileCreate,
  compileDiscard,
  compileUnpublish,
  compileUpdate,
  type RowsRequest,
} from '../compile/compile-write.js';
import type { Runner } from '../database/runner.js';
import { type Issue, issuesError, notFound } from '../errors.js';
import { settle, type Settled } from '../plan/settle.js';
import type { UniqueValue } from '../plan/settle-values.js';
import { reportDuplicates } from '../plan/unique-values.js';
import type { ContentType, RelationAttribute } from '../schema/model.js';
import { newDocumentId } from './document-id.js';
import { withGeneratedUids } from './generate-uid.js';
import { currentVersions, load, type Loaded, toVersionRow, type WriteRequest } from './load.js';
import { locksBefore, locksOfWrite } from './locks.js';
import { Targets } from './targets.js';
import { holdUniqueValues } from './unique-values.js';
import { exclusiveColumns, foreseen, inTurn, type Linking, linksRequest } from './write-links.js';

/** What a document comes to be, and the values inside its components that no other may have. */
interface Asked {
  readonly result: Settled;
  readonly uniques: readonly UniqueValue[];
  /** Where problems of those values go. */
  readonly issues: Issue[];
}

function settled(request: WriteRequest, loaded: Loaded): Asked {
  const { type, body } = request;
  const issues: Issue[] = [];
  const uniques: UniqueValue[] = [];
  const unhashed: string[] = [];
  const { versions, stored, published } = loaded;
  const ids = [...loaded.ids];
  const draft = type.draftAndPublish && !request.publish;
  const result = settle(
    type,
    { given: body.values, stored, versions: published === null ? [] : [published] },
    {
      draft,
      missingIsNull: type.draftAndPublish,
      complete: versions.own === undefined || (type.draftAndPublish && request.publish),
      strictRelations: request.settings.strictRelations,
      issues,
      uniques,
      newInstance: () => ({ id: ids.shift() ?? 0, documentId: newDocumentId() }),
      hash: (password) => {
        const hash = request.hashes.get(password);
        if (hash === undefined) unhashed.push(password);
        return hash ?? '';
      },
      resolver: ({ attribute: { target }, scope }, linked) =>
        (loaded.targets.get(target) ?? new Targets(target, [], request.locale)).resolver(scope, linked),
      telling: body.telling,
      isSent: body.isSent,
    },
  );
  reportDuplicates(uniques);
  if (issues.length > 0) throw issuesError(issues);
  if (unhashed.length > 0) throw new Error('A password has no hash, although nothing of its body is refused');
  return { result, uniques, issues };
}

/**
 * Keeps what may be said of a unique attribute that the database refuses: its value only where the body
 * carried it.
 */
function noteValues({ type, values, body }: WriteRequest, result: Settled): void {
  for (const attribute of type.attributes.values()) {
    if (attribute.kind !== 'scalar' || (attribute.def.unique !== true && attribute.def.type !== 'uid'))
      continue;
    if (body.telling(attribute) === 'nothing') continue;
    values.set(attribute, body.isSent(attribute) ? { value: result.values.get(attribute) } : {});
  }
}

function columnValues({ values, lists }: Settled): ColumnValues {
  const toOne = [...lists].flatMap(([attribute, list]): [RelationAttribute, unknown][] =>
    attribute.join.kind === 'column' ? [[attribute, list[0] ?? null]] : [],
  );
  return new Map<Parameters<ColumnValues['get']>[0], unknown>([...values, ...toOne]);
}

/** Locks that are not held yet: hooks may have added relations to the body. */
const beyond = (locks: readonly Lock[], held: readonly Lock[]): Lock[] =>
  locks.filter(
    ({ name, exclusive }) => !held.some((one) => one.name === name && (one.exclusive || !exclusive)),
  );

/** What a write starts from. Documents without a draft get theirs first, from what is published (D29). */
async function loadWithDrafts(
  runner: Runner,
  request: WriteRequest,
  locks: readonly Lock[],
): Promise<Loaded> {
  const loaded = await load(runner, request, locks);
  if (loaded.draftless.size === 0) return loaded;
  for (const [type, documentIds] of loaded.draftless) await runner.run(compileStartDrafts(type, documentIds));
  return load(runner, request, []);
}

/**
 * Runs a write inside a transaction that holds the locks `held`, and returns the document's id. Throws
 * NotFoundError for an unknown document and a ValidationError for a body that cannot be stored; nothing has
 * been written then.
 */
export async function write(runner: Runner, request: WriteRequest, held: readonly Lock[]): Promise<string> {
  const { type } = request;
  const more = beyond(locksBefore(request), held);
  if (more.length > 0) await runner.run(compileQueue(more));
  const loaded = await loadWithDrafts(runner, request, beyond(locksOfWrite(request), [...held, ...more]));
  const { versions } = loaded;
  const asked = settled(request, loaded);
  const result = await withGeneratedUids(runner, request, asked.result, loaded);
  noteValues(request, result);
  const documentId = versions.documentId ?? newDocumentId();
  await holdUniqueValues(runner, request, asked.uniques, { documentId, versions });
  if (asked.issues.length > 0) throw issuesError(asked.issues);
  const rows: RowsRequest = {
    type,
    documentId,
    locale: request.locale,
    values: columnValues(result),
    row: versions.own?.id ?? null,
    base: versions.base?.id ?? null,
    publish: request.publish,
  };
  await writeRows(runner, request, rows, { versions, result, targets: loaded.targets });
  return documentId;
}

/** Rows first, links with them where their owners are known beforehand. */
async function writeRows(
  runner: Runner,
  request: WriteRequest,
  rows: RowsRequest,
  known: Omit<Linking, 'touched'>,
): Promise<void> {
  const { versions } = known;
  const { documentId } = rows;
  const fresh = versions.own === undefined && versions.base === undefined;
  const touched = fresh ? 'inserted' : foreseen(request, versions);
  if (touched === undefined) {
    const written = (await runner.run(compileUpdate(rows, []))).map((row) => ({
      ...toVersionRow(row),
      documentId,
    }));
    return runLinks(runner, inTurn(linksRequest(request, documentId, { ...known, touched: written })));
  }
  const [own, others] = inTurn(linksRequest(request, documentId, { ...known, touched }));
  const [withRows = [], ...later] = linkBatches(own);
  await runner.run(fresh ? compileCreate(rows, withRows) : compileUpdate(rows, withRows));
  for (const batch of later) await runner.run(compileLinks(batch));
  await runLinks(runner, [others]);
}

async function runLinks(runner: Runner, requests: readonly LinksRequest[]): Promise<void> {
  for (const batch of requests.flatMap(linkBatches)) await runner.run(compileLinks(batch));
}

/** Takes the published version away, under the document's lock; what it held stays as the draft. */
export async function unpublish(
  runner: Runner,
  type: ContentType,
  documentId: string | null,
  locale: string,
): Promise<void> {
  await runner.run(compileStartDrafts(type, documentId === null ? null : [documentId]));
  await runner.run(compileUnpublish(type, documentId, locale));
}

/**
 * Puts the draft back to the published version, links included, under the document's lock. Throws
 * NotFoundError where there is none.
 */
export async function discardDraft(
  runner: Runner,
  type: ContentType,
  asked: string | null,
  locale: string,
): Promise<void> {
  await runner.run(compileStartDrafts(type, asked === null ? null : [asked]));
  const versions = (await runner.run(compileVersions(type, asked))).map(toVersionRow);
  const rows = currentVersions(versions, type, locale).filter((row) => row.locale === locale);
  const draft = rows.find((row) => !row.published);
  const published = rows.find((row) => row.published);
  if (draft === undefined || published === undefined) throw notFound();
  const { documentId } = draft;
  const touched = (await runner.run(compileDiscard(type, draft.id, published.id))).map((row) =>
    Number(row['id']),
  );
  const copies = [...type.attributes.values()].flatMap((attribute): LinkCopy[] => {
    if (attribute.kind !== 'relation') return [];
    return [{ attribute, from: published.id, to: attribute.localized ? [draft.id] : touched }];
  });
  const takeovers = exclusiveColumns(type).map((attribute) => ({
    attribute,
    from: published.id,
    published: false,
  }));
  await runLinks(runner, [{ type, documentId, locale, draftsOnly: true, changes: [], copies, takeovers }]);
}
