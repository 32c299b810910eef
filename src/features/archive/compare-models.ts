/** Compares the model that an archive describes with the model of the importing application. */
import type { ModelDescription, TypeDescription } from '../../content/model/description.js';
import type { ArchivedType } from '../../content/model/archive.js';
import type { AttributeDefinition, AttributeDefinitions } from '../../content/model/definitions.js';
import type { Attribute } from '../../content/model/model.js';
import { isScalarType, SCALAR_TYPES } from '../../content/model/scalar-types.js';
import { ownValue } from '../../kernel/json.js';
import type { DocumentsPart } from './format.js';
import type { ArchiveConflict } from './compare-batch.js';

export interface Comparison {
  /** Null for an archive of an earlier release, which describes no model. */
  readonly archived: ModelDescription | null;
  readonly present: ModelDescription;
  /** True allows a private attribute to become public. */
  readonly allowPublic: boolean;
}

const optionOf = (attribute: AttributeDefinition, option: string): unknown =>
  (attribute as Readonly<Record<string, unknown>>)[option] ?? false;

/** Options that must be equal, because they decide how values and links are stored. */
const EQUAL: readonly string[] = [
  'type',
  'localized',
  'repeatable',
  'component',
  'multiple',
  'relation',
  'target',
  'inversedBy',
  'mappedBy',
  'morphBy',
];
/** Options that contain lists. The current model must have all their entries and may have more. */
const CONTAINED: readonly string[] = ['components', 'targets'];

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Returns the reason why the current model cannot store the values of an attribute; null for none. */
function difference(
  before: AttributeDefinition,
  after: AttributeDefinition | undefined,
  { allowPublic }: Comparison,
): string | null {
  if (after === undefined) return 'the model has no such attribute';
  for (const option of EQUAL) {
    const [here, there] = [optionOf(after, option), optionOf(before, option)];
    if (here !== there)
      return `its ${option} is ${String(here)} in the model and ${String(there)} in the archive`;
  }
  for (const option of CONTAINED) {
    const present = listOf(optionOf(after, option));
    const lacking = listOf(optionOf(before, option)).filter((value) => !present.includes(value));
    if (lacking.length > 0) return `its ${option} in the model lack ${lacking.join(', ')}`;
  }
  const becomes = (option: string, value: boolean): boolean =>
    optionOf(before, option) !== value && optionOf(after, option) === value;
  if (becomes('unique', true)) return 'it is unique in the model and not in the archive';
  return becomes('private', false) && !allowPublic
    ? 'it is public in the model and private in the archive'
    : null;
}

/** Returns the attributes of the archive that the current model cannot store, each with the reason. */
function differing(
  before: AttributeDefinitions,
  after: AttributeDefinitions,
  comparison: Comparison,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [name, attribute] of Object.entries(before)) {
    // Archives contain no passwords.
    const reason = attribute.type === 'password' ? null : difference(attribute, after[name], comparison);
    if (reason !== null) found.set(name, reason);
  }
  return found;
}

const TYPE_OPTIONS = [
  'kind',
  'draftAndPublish',
  'localized',
] as const satisfies readonly (keyof TypeDescription)[];

/** Returns the members that two records share: the name, and the value in each. */
const common = <T>(a: Readonly<Record<string, T>>, b: Readonly<Record<string, T>>): [string, T, T][] =>
  Object.entries(b).flatMap(([name, other]): [string, T, T][] => {
    const one = Object.hasOwn(a, name) ? a[name] : undefined;
    return one === undefined ? [] : [[name, one, other]];
  });

/**
 * Returns the conflicts that stop every import: default locale, options of types, attributes of components.
 */
export function modelConflicts(comparison: Comparison): readonly ArchiveConflict[] {
  const { archived, present } = comparison;
  if (archived === null) return [];
  const conflictOf = (type: string, what: string, [here, there]: readonly unknown[]): ArchiveConflict[] =>
    here === there
      ? []
      : [
          {
            kind: 'model',
            type,
            reason: `its ${what} is ${String(here)} in the model and ${String(there)} in the archive`,
          },
        ];
  return [
    ...conflictOf('model', 'default locale', [present.defaultLocale, archived.defaultLocale]),
    ...common(archived.types, present.types).flatMap(([type, before, after]) =>
      TYPE_OPTIONS.flatMap((option) => conflictOf(type, option, [after[option], before[option]])),
    ),
    ...common(archived.components, present.components).flatMap(([type, before, after]) =>
      [...differing(before.attributes, after.attributes, comparison)].map(
        ([attribute, reason]): ArchiveConflict => ({ kind: 'model', type, attribute, reason }),
      ),
    ),
  ];
}

const formOf = (type: string): string => (isScalarType(type) ? SCALAR_TYPES[type].column : type);

/** Returns a type of the archive and of the current model. */
const bothOf = (type: string, { archived, present }: Comparison) =>
  [ownValue(archived?.types ?? {}, type), ownValue(present.types, type)] as const;

/** Returns the attributes whose values have another form in the current model. */
function unlikeIn(type: string, comparison: Comparison): readonly string[] {
  const [before, after] = bothOf(type, comparison);
  return common(before?.attributes ?? {}, after?.attributes ?? {})
    .filter(([, one, other]) => formOf(one.type) !== formOf(other.type))
    .map(([name]) => name);
}

/** Returns the attributes of a type that the current model cannot store, each with the reason. */
function attributeDifferences(type: string, comparison: Comparison): ReadonlyMap<string, string> {
  const [before, after] = bothOf(type, comparison);
  if (before === undefined || after === undefined) return new Map();
  return differing(before.attributes, after.attributes, comparison);
}

/**
 * Result of comparing a part of the archive with the model: the shared columns and links, and the unknown
 * ones.
 */
export interface ComparedPart {
  readonly archived: ArchivedType | null;
  readonly unknown: readonly string[];
  /** Attributes whose values the archive stores in another form than the model: text instead of a number. */
  readonly unlike: readonly string[];
  readonly conflicts: readonly ArchiveConflict[];
}

export function comparePart(
  part: DocumentsPart,
  archived: ArchivedType | undefined,
  comparison: Comparison,
): ComparedPart {
  if (archived === undefined)
    return { archived: null, unknown: [], unlike: [], conflicts: [{ kind: 'type', type: part.type }] };
  const differences = attributeDifferences(part.type, comparison);
  const isSame = ({ attribute }: { readonly attribute: Attribute }): boolean =>
    !differences.has(attribute.name);
  const columns = archived.columns.filter((one) => part.columns[one.name]?.type === one.type && isSame(one));
  const links = archived.links.filter((one) => part.links.includes(one.attribute.name) && isSame(one));
  const isComparable = (column: string): boolean => columns.some(({ name }) => name === column);
  const unknown = Object.entries(part.columns).filter(([name]) => !isComparable(name));
  const lists = part.links.filter((name) => !links.some(({ attribute }) => attribute.name === name));
  const names = new Set([...unknown.map(([, { attribute }]) => attribute), ...lists]);
  return {
    archived: { ...archived, columns, links },
    unknown: [...unknown.map(([name]) => name), ...lists],
    unlike: unlikeIn(part.type, comparison),
    conflicts: [...names].map((attribute) => {
      const reason = differences.get(attribute);
      return { kind: 'attribute', type: part.type, attribute, ...(reason === undefined ? {} : { reason }) };
    }),
  };
}
