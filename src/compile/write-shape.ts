/**
 * The steps of a write as their statements see them: facts decide the text, and every value is a slot. A
 * shape is made of facts alone, so that what is not among them cannot get into a text.
 */
import type { LinkChange, LinksStep, LinkTransfer, PublishStep, RowsStep } from '../plan/steps.js';
import { documentIdsOf, partsOf } from '../plan/target-key.js';
import type { Attribute, Column, ContentType, LinkedAttribute } from '../schema/model.js';
import { ownerTypeOf } from '../schema/joins.js';
import { type Param, slot, type Sql } from '../sql.js';
import { storedText } from './column-value.js';
import type { OwnShape } from './compile-own.js';

/** New targets of one relation. */
export interface ChangeShape {
  readonly attribute: LinkedAttribute;
  /** The targets as a list names them, and what it says of them where it names their types as well. */
  readonly targets: Param;
  readonly documentIds: Param;
  readonly types: Param;
  readonly isEmpty: boolean;
  readonly states: readonly boolean[];
  readonly locale: Param;
  /** Inverse sides: documents whose links stay as they are; null where there are none. */
  readonly untouched: Param | null;
}

/** Links that become the same in one state as they are in the other. */
export interface TransferShape {
  readonly attribute: LinkedAttribute;
  readonly published: boolean;
  /** Null where all locales are meant, but for the one of `except`. */
  readonly locale: Param | null;
  readonly except: Param | null;
  readonly owners: 'all' | OwnShape;
}

/** All links of one document that a write changes. */
export interface LinksShape {
  readonly type: ContentType;
  readonly documentId: Param;
  /** Whether versions in one locale are written, and not in all. */
  readonly isOfLocale: boolean;
  readonly hasOthers: boolean;
  readonly isNew: boolean;
  readonly isThere: boolean;
  readonly changes: readonly ChangeShape[];
  readonly transfers: readonly TransferShape[];
}

/** An answer that the statement gives which writes the row that it shows. */
export interface WrittenAnswer {
  /** A short name, which no other one has. */
  readonly key: string;
  /** The state that it shows. */
  readonly published: boolean;
  /** The end of the statement, with the row in `rows`. */
  readonly from: (rows: Sql) => Sql;
}

/** A version that is created or updated, published, and shared with other locales. */
export interface RowsShape {
  readonly type: ContentType;
  readonly documentId: Param;
  readonly locale: Param;
  readonly given: ReadonlySet<Attribute>;
  /** The relations among them that come to have no target. */
  readonly emptied: ReadonlySet<Attribute>;
  readonly value: (column: Column) => Param;
  /** The version to update; null to insert one. */
  readonly row: Param | null;
  readonly live: Param | null;
  readonly base: Param | null;
  readonly unmodified: boolean;
  readonly hasOthers: boolean;
  readonly publish: boolean;
  readonly links: LinksShape;
  /** What the statement answers; null where another one does. */
  readonly answer: WrittenAnswer | null;
}

/** Versions that change their state, in one locale or in all. */
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
  isOfOthers: except !== null,
  isOpen: owners === 'all',
});

const linksFacts = ({ locale, hasOthers, isNew, isThere, changes, transfers }: LinksStep) => ({
  isOfLocale: locale !== null,
  hasOthers,
  isNew,
  isThere,
  changes: changes.map(changeFacts),
  transfers: transfers.map(transferFacts),
});

type LinksFacts = ReturnType<typeof linksFacts>;

/** What decides the statements of rows. */
export const rowsFacts = ({ values, row, live, base, links, ...step }: RowsStep) => ({
  given: [...values.keys()].map(({ name }) => name),
  emptied: [...values].flatMap(([{ name, linked }, value]) => (linked && value === null ? [name] : [])),
  isThere: row !== null,
  isLive: live !== null,
  hasBase: base !== null,
  unmodified: step.unmodified,
  hasOthers: step.hasOthers,
  publish: step.publish,
  links: linksFacts(links),
});

/** What decides the statements of a transition. */
export const transitionFacts = ({ locale, links }: Pick<PublishStep, 'locale' | 'links'>) => ({
  isOfLocale: locale !== null,
  links: linksFacts(links),
});

/** A step that has links, too. */
interface Linked {
  readonly documentId: string;
  readonly links: LinksStep;
}

const DOCUMENT_ID = slot(({ documentId }: Linked) => documentId);

function changeShape(type: ContentType, facts: LinksFacts['changes'][number], i: number): ChangeShape {
  const attribute = linkedOf(type, facts.attribute);
  const at = (read: (change: LinkChange) => unknown): Param =>
    slot(({ links }: Linked) => read(links.changes[i] as LinkChange));
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
    slot(({ links }: Linked) => read(links.transfers[i] as LinkTransfer));
  return {
    attribute,
    published: facts.published,
    locale: facts.isOfLocale ? at(({ locale }) => locale) : null,
    except: facts.isOfOthers ? at(({ except }) => except) : null,
    owners: facts.isOpen ? 'all' : ownedBy(ownerTypeOf(attribute), at(userOf)),
  };
}

const userOf = ({ owners }: LinkTransfer): string | null => (owners === 'all' ? null : owners.user);

/** Documents of a type that a user owns. */
function ownedBy(type: ContentType, user: Param): OwnShape {
  const owner = type.storage.columnOf.get(type.owner ?? '');
  if (owner === undefined) throw new Error(`Documents of ${type.uid} have no owner`);
  return { owner, user };
}

/** An attribute of the type by its name, as facts have it. */
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

/** What statements of rows are made from, but for the answer. */
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
    value: (column) => values.get(column) as Param,
    row: flags.isThere ? at(({ row }) => row) : null,
    live: flags.isLive ? at(({ live }) => live) : null,
    base: flags.hasBase ? at(({ base }) => base) : null,
    unmodified: flags.unmodified,
    hasOthers: flags.hasOthers,
    publish: flags.publish,
    links: linksShape(type, links),
  };
}

/** What statements of a transition are made from. */
export const transitionShape = (
  type: ContentType,
  { isOfLocale, links }: ReturnType<typeof transitionFacts>,
): TransitionShape => ({
  type,
  documentId: DOCUMENT_ID,
  locale: isOfLocale ? slot(({ locale }: PublishStep) => locale) : null,
  links: linksShape(type, links),
});
