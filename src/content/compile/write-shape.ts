/**
 * Templates of a write's steps. A cache key decides the text, and every value is a parameter. A template is
 * made from the cache key alone, so that nothing else can get into a cached statement.
 */
import type { LinkChange, LinksStep, LinkTransfer, PublishStep, RowsStep } from '../plan/steps.js';
import { documentIdsOf, partsOf } from '../plan/target-key.js';
import type { Attribute, Column, ContentType, LinkedAttribute } from '../model/model.js';
import { ownerTypeOf } from '../model/joins.js';
import { present } from '../../kernel/present.js';
import { type Param, slot, type Sql } from '../../kernel/sql.js';
import { storedText } from './column-value.js';
import type { OwnShape } from './compile-own.js';

export interface ChangeShape {
  readonly attribute: LinkedAttribute;
  /** Targets in the text form of lists; for polymorphic relations also as separate ids and types. */
  readonly targets: Param;
  readonly documentIds: Param;
  readonly types: Param;
  readonly isEmpty: boolean;
  readonly states: readonly boolean[];
  readonly locale: Param;
  /** Documents whose links on the inverse side stay unchanged; null for none. */
  readonly untouched: Param | null;
}

/** Links that are copied from one state to the other. */
export interface TransferShape {
  readonly attribute: LinkedAttribute;
  readonly published: boolean;
  readonly locale: Param | null;
  /** Whether `locale` is a list of locales. */
  readonly isOfSeveral: boolean;
  readonly except: Param | null;
  readonly owners: 'all' | OwnShape;
}

export interface LinksShape {
  readonly type: ContentType;
  readonly documentId: Param;
  readonly hasOthers: boolean;
  readonly isNew: boolean;
  readonly isThere: boolean;
  readonly changes: readonly ChangeShape[];
  readonly transfers: readonly TransferShape[];
}

/** Response that is returned by the statement that writes its row. */
export interface WrittenAnswer {
  /** Unique short name, part of the cache key. */
  readonly key: string;
  readonly published: boolean;
  readonly from: (rows: Sql, documentId: Param) => Sql;
}

export interface RowsShape {
  readonly type: ContentType;
  readonly documentId: Param;
  readonly locale: Param;
  readonly given: ReadonlySet<Attribute>;
  /** Given relations that lose all targets. */
  readonly emptied: ReadonlySet<Attribute>;
  readonly value: (column: Column) => Param;
  /** Version to update; null to insert one. */
  readonly row: Param | null;
  readonly live: Param | null;
  readonly base: Param | null;
  /** Creation time of an inserted version; null for the time of the transaction. */
  readonly createdAt: Param | null;
  readonly unmodified: boolean;
  readonly hasOthers: boolean;
  readonly publish: boolean;
  readonly links: LinksShape;
  /** Response of the statement; null if another statement returns it. */
  readonly answer: WrittenAnswer | null;
}

export interface TransitionShape {
  readonly type: ContentType;
  readonly documentId: Param;
  readonly locale: Param | null;
  readonly links: LinksShape;
}

const changeFacts = ({ attribute, states, targets, untouched }: LinkChange) => ({
  attribute: attribute.name,
  states,
  isEmpty: targets.length === 0,
  isOpen: untouched.length === 0,
});

const transferFacts = ({ attribute, published, locale, except, owners }: LinkTransfer) => ({
  attribute: attribute.name,
  published,
  isOfLocale: locale !== null,
  isOfSeveral: typeof locale === 'object' && locale !== null,
  isOfOthers: except !== null,
  isOpen: owners === 'all',
});

const linksFacts = ({ hasOthers, isNew, isThere, changes, transfers }: LinksStep) => ({
  hasOthers,
  isNew,
  isThere,
  changes: changes.map(changeFacts),
  transfers: transfers.map(transferFacts),
});

type LinksFacts = ReturnType<typeof linksFacts>;

export const rowsFacts = ({ values, row, live, base, createdAt, links, ...step }: RowsStep) => ({
  given: [...values.keys()].map(({ name }) => name),
  emptied: [...values].flatMap(([{ name, linked }, value]) => (linked && value === null ? [name] : [])),
  isThere: row !== null,
  isLive: live !== null,
  hasBase: base !== null,
  isDated: createdAt !== null,
  unmodified: step.unmodified,
  hasOthers: step.hasOthers,
  publish: step.publish,
  links: linksFacts(links),
});

export const transitionFacts = ({ locale, links }: Pick<PublishStep, 'locale' | 'links'>) => ({
  isOfLocale: locale !== null,
  links: linksFacts(links),
});

interface LinksOfDocument {
  readonly documentId: string;
  readonly links: LinksStep;
}

const DOCUMENT_ID = slot(({ documentId }: LinksOfDocument) => documentId);

function changeShape(type: ContentType, facts: LinksFacts['changes'][number], i: number): ChangeShape {
  const attribute = linkedOf(type, facts.attribute);
  const at = (read: (change: LinkChange) => unknown): Param =>
    slot(({ links }: LinksOfDocument) => read(present(links.changes[i], 'A link change')));
  const targets = at((change) => change.targets);
  return {
    attribute,
    targets,
    documentIds: attribute.named ? at((change) => documentIdsOf(attribute, change.targets)) : targets,
    types: at((change) => partsOf(change.targets).types),
    isEmpty: facts.isEmpty,
    states: facts.states,
    locale: at((change) => change.locale),
    untouched: facts.isOpen ? null : at((change) => change.untouched),
  };
}

function transferShape(type: ContentType, facts: LinksFacts['transfers'][number], i: number): TransferShape {
  const attribute = linkedOf(type, facts.attribute);
  const at = (read: (transfer: LinkTransfer) => unknown): Param =>
    slot(({ links }: LinksOfDocument) => read(present(links.transfers[i], 'A link transfer')));
  return {
    attribute,
    published: facts.published,
    locale: facts.isOfLocale ? at(({ locale }) => locale) : null,
    isOfSeveral: facts.isOfSeveral,
    except: facts.isOfOthers ? at(({ except }) => except) : null,
    owners: facts.isOpen ? 'all' : ownedBy(ownerTypeOf(attribute), at(userOf)),
  };
}

const userOf = ({ owners }: LinkTransfer): string | null => (owners === 'all' ? null : owners.user);

function ownedBy(type: ContentType, user: Param): OwnShape {
  const owner = type.storage.columnOf.get(type.owner ?? '');
  if (owner === undefined) throw new Error(`Documents of ${type.uid} have no owner`);
  return { owner, user };
}

function attributeOf(type: ContentType, name: string): Attribute {
  const attribute = type.attributes.get(name);
  if (attribute === undefined) throw new Error(`${type.uid} has no attribute ${name}`);
  return attribute;
}

function linkedOf(type: ContentType, name: string): LinkedAttribute {
  const attribute = attributeOf(type, name);
  if (!attribute.linked) throw new Error(`${type.uid}.${name} has no links`);
  return attribute;
}

const linksShape = (type: ContentType, { changes, transfers, ...facts }: LinksFacts): LinksShape => ({
  ...facts,
  type,
  documentId: DOCUMENT_ID,
  changes: changes.map((one, i) => changeShape(type, one, i)),
  transfers: transfers.map((one, i) => transferShape(type, one, i)),
});

export function rowsShape(type: ContentType, facts: ReturnType<typeof rowsFacts>): Omit<RowsShape, 'answer'> {
  const at = (read: (step: RowsStep) => unknown): Param => slot(read);
  const { given, emptied, links, ...flags } = facts;
  const { storage } = type;
  const values = new Map(
    storage.columns.map((column) => [
      column,
      at((step) => storedText(column, step.values.get(column.attribute))),
    ]),
  );
  return {
    type,
    documentId: DOCUMENT_ID,
    locale: at(({ locale }) => locale),
    given: new Set(given.map((name) => attributeOf(type, name))),
    emptied: new Set(emptied.map((name) => attributeOf(type, name))),
    value: (column) => present(values.get(column), column.name),
    row: flags.isThere ? at(({ row }) => row) : null,
    live: flags.isLive ? at(({ live }) => live) : null,
    base: flags.hasBase ? at(({ base }) => base) : null,
    createdAt: flags.isDated ? at(({ createdAt }) => createdAt) : null,
    unmodified: flags.unmodified,
    hasOthers: flags.hasOthers,
    publish: flags.publish,
    links: linksShape(type, links),
  };
}

export const transitionShape = (
  type: ContentType,
  { isOfLocale, links }: ReturnType<typeof transitionFacts>,
): TransitionShape => ({
  type,
  documentId: DOCUMENT_ID,
  locale: isOfLocale ? slot(({ locale }: PublishStep) => locale) : null,
  links: linksShape(type, links),
});
