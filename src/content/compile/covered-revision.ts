/** Revision of the part of a version that a caller can read: see `content/plan/coverage.ts`. */
import { type Coverage, omitsInside } from '../plan/coverage.js';
import { byKind } from '../model/by-kind.js';
import type { Attribute, Component, ContentType, EmbeddedAttribute } from '../model/model.js';
import { alias, join, quote, type Sql, sql } from '../../kernel/sql.js';
import { currentRevision, isSameContent, revisionOf } from './changes.js';
import { listOf } from './json-list.js';

interface EmbeddedValue {
  readonly value: Sql;
  readonly covers: Coverage['covers'];
  /** Components that contain the value, outermost first. */
  readonly above: readonly Component[];
}

/**
 * Maximum number of instances of a component inside one another that are compared, if they omit something.
 * Deeper instances are omitted, which bounds the statement.
 */
const MAX_SELF = 3;

const isTooDeep = (attribute: Attribute, { covers, above }: EmbeddedValue): boolean =>
  'components' in attribute &&
  attribute.components.some((one) => above.filter((other) => other === one).length >= MAX_SELF) &&
  omitsInside(attribute, { covers });

/** Prints a nested member without attributes that are not covered; empty if no attribute is removed. */
const memberOf = byKind<Attribute, [EmbeddedValue], Sql[]>({
  scalar: () => [],
  relation: () => [],
  morph: () => [],
  component: embeddedMember,
  zone: embeddedMember,
});

function embeddedMember(attribute: EmbeddedAttribute, nested: EmbeddedValue): Sql[] {
  const member = sql`${nested.value}->${quote(attribute.name, 'string')}`;
  const part = instancesOf(attribute, { ...nested, value: member });
  return part === null ? [] : [sql`jsonb_build_object(${quote(attribute.name, 'string')}, ${part})`];
}

/** Prints an instance without attributes that are not covered; null if no attribute is removed. */
function instanceOf(component: Component, nested: EmbeddedValue): Sql | null {
  const attributes = [...component.attributes.values()].filter(({ system }) => !system);
  const removed = attributes.filter(
    (attribute) => !nested.covers(component, attribute) || isTooDeep(attribute, nested),
  );
  const covered = attributes.filter((attribute) => !removed.includes(attribute));
  const members = covered.flatMap((attribute) => memberOf(attribute, nested));
  if (removed.length + members.length === 0) return null;
  const names = removed.map(({ name }) => quote(name, 'string'));
  return join([sql`(${nested.value} - array[${join(names, ', ')}]::text[])`, ...members], ' || ');
}

/** Prints instances as a list without uncovered attributes; null if no attribute is removed. */
function instancesOf(attribute: EmbeddedAttribute, nested: EmbeddedValue): Sql | null {
  if (!omitsInside(attribute, nested)) return null;
  const { components, named } = attribute;
  const { covers, above } = nested;
  const item = alias('j', above.length + 1);
  const value = sql`${item}.v`;
  const parts = components.map((one) => ({
    one,
    part: instanceOf(one, { value, covers, above: [...above, one] }),
  }));
  if (parts.every(({ part }) => part === null)) return null;
  const cases = parts.map(
    ({ one, part }) => sql`when ${value}->>'__component' = ${quote(one.uid, 'string')} then ${part ?? value}`,
  );
  const shown = named ? sql`case ${join(cases, ' ')} else ${value} end` : (parts[0]?.part ?? value);
  return sql`(select jsonb_agg(${shown} order by ${item}.n)
    from jsonb_array_elements(${listOf(nested.value)}) with ordinality ${item}(v, n))`;
}

const uncovered = (): null => null;

const coveredValue = byKind<Attribute, [EmbeddedValue], Sql | null>({
  scalar: uncovered,
  relation: uncovered,
  morph: uncovered,
  component: instancesOf,
  zone: instancesOf,
});

/** Prints the current revision of a row; the stored one if that is known and the whole row is covered. */
export function coveredRevision(type: ContentType, row: Sql, coverage: Coverage | null): Sql {
  if (coverage === null || coverage.omitted.length === 0) return currentRevision(type, row);
  const { covers } = coverage;
  return revisionOf({
    type,
    row,
    covers: (attribute) => covers(type, attribute),
    value: ({ attribute, name }) =>
      coveredValue(attribute, { value: sql`${row}.${quote(name)}`, covers, above: [] }) ?? undefined,
  });
}

/** Prints whether two rows have the same covered content. */
export const hasSameCoveredContent = (
  type: ContentType,
  rows: readonly [Sql, Sql],
  coverage: Coverage | null,
): Sql =>
  coverage === null
    ? sql`(${isSameContent(type, rows)})`
    : sql`(${coveredRevision(type, rows[0], coverage)} = ${coveredRevision(type, rows[1], coverage)})`;
