/** Checks of one attribute's definition; messages suggest a correction. */
import { type Issue, messageOf } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import { MAX_IDENTIFIER_BYTES } from '../../kernel/sql.js';
import type { AttributeDefinition, NamedDefinition, ScalarDefinition } from './definitions.js';
import { type AttributeContext, attributeOf } from './attribute-context.js';
import { AUTHORS } from './authors.js';
import { checkLayout, checkValueNames } from './check-layout.js';
import { checkRelation } from './check-relation.js';
import {
  ATTRIBUTE_LAYOUT,
  ATTRIBUTE_OPTIONS,
  checkOptions,
  REQUIRED_OPTIONS,
  type Report,
} from './options.js';
import { sentValue } from './value-context.js';
import { isScalarType, SCALAR_TYPES } from './scalar-types.js';
import { among } from './suggest.js';

const ATTRIBUTE = /^[A-Za-z][A-Za-z0-9_]*$/;

/** Reserved by the document, or by `Object.prototype`. */
const RESERVED = [
  'id',
  'documentId',
  'createdAt',
  'updatedAt',
  'publishedAt',
  'locale',
  'localizations',
  ...AUTHORS,
  ...Object.getOwnPropertyNames(Object.prototype),
  'prototype',
];

/**
 * Most characters of an indexed text: a PostgreSQL index entry has at most 2,704 bytes, a character up to
 * four.
 */
const MAX_INDEXED_LENGTH = 600;

const isSlugSource = (def: AttributeDefinition): boolean =>
  isScalarType(def.type) && SCALAR_TYPES[def.type].search !== null;

function compiles(regex: string | undefined, report: Report): boolean {
  try {
    new RegExp(regex ?? '');
    return true;
  } catch (error) {
    report(`regex does not compile: ${messageOf(error)}`);
    return false;
  }
}

function checkDefault(key: string, def: ScalarDefinition, report: Report): void {
  if (def.default === undefined || def.default === null) return;
  const issues: Issue[] = [];
  const at = sentValue({ path: [key], draft: false, issues });
  const stored = SCALAR_TYPES[def.type].castValue(def.default, def, at);
  for (const { message } of issues) report(`default: ${message}`);
  // Some casts clear invalid values of a body; a default must be a real value.
  if (issues.length === 0 && (stored === undefined || stored === null))
    report(`default: not a value of type "${def.type}"`);
}

function checkScalar(
  { key, def }: NamedDefinition<ScalarDefinition>,
  scope: AttributeContext,
  report: Report,
): void {
  if (def.minLength !== undefined && def.maxLength !== undefined && def.minLength > def.maxLength)
    report('minLength is larger than maxLength');
  if (def.min !== undefined && def.max !== undefined && Number(def.min) > Number(def.max))
    report('min is larger than max');
  if (def.targetField !== undefined) {
    const target = attributeOf(scope.attributes, def.targetField);
    const sources = Object.entries(scope.attributes).flatMap(([other, its]) =>
      other !== key && isObject(its) && isSlugSource(its) ? [other] : [],
    );
    if (target === undefined)
      report(`targetField "${def.targetField}" is not an attribute${among(def.targetField, sources)}`);
    else if (!sources.includes(def.targetField))
      report(
        `targetField "${def.targetField}" must be a text or number attribute of the same definition` +
          among(def.targetField, sources),
      );
  }
  if (def.generate === true && def.targetField === undefined) report('"generate" needs a "targetField"');
  if (def.generate === true && scope.type === undefined)
    report('"generate" inside a component is not supported; put it on a content type');
  if (def.generate === true && (def.regex !== undefined || def.minLength !== undefined))
    report('"generate" cannot be combined with "regex" or "minLength"');
  if ((def.unique === true || def.index === true) && (def.maxLength ?? 0) > MAX_INDEXED_LENGTH)
    report(`an indexed attribute has at most ${MAX_INDEXED_LENGTH} characters: lower "maxLength"`);
  if (compiles(def.regex, report)) checkDefault(key, def, report);
}

interface Descent {
  readonly above: readonly string[];
  readonly seen: Set<string>;
}

/**
 * Returns the cycle of components that require each other, or null. No document could satisfy such a cycle.
 */
function needsItself(
  uid: string,
  scope: AttributeContext,
  { above, seen }: Descent = { above: [], seen: new Set() },
): readonly string[] | null {
  const path = [...above, uid];
  if (above.includes(uid)) return path;
  if (seen.has(uid)) return null;
  seen.add(uid);
  const attributes: unknown = scope.components.get(uid)?.attributes;
  for (const def of isObject(attributes) ? Object.values(attributes) : []) {
    const { type, required, repeatable, min, component }: Readonly<Record<string, unknown>> = isObject(def)
      ? def
      : {};
    const always = required === true && (repeatable !== true || Number(min) > 0);
    const circle =
      type === 'component' && always ? needsItself(String(component), scope, { above: path, seen }) : null;
    if (circle !== null) return circle;
  }
  return null;
}

function checkEmbedded(
  def: Extract<AttributeDefinition, { type: 'component' | 'dynamiczone' }>,
  scope: AttributeContext,
  report: Report,
): void {
  for (const uid of def.type === 'component' ? [def.component] : def.components) {
    if (!scope.components.has(uid))
      report(`component "${uid}" is not in "components"${among(uid, [...scope.components.keys()])}`);
  }
  if (def.min !== undefined && def.max !== undefined && def.min > def.max) report('min is larger than max');
  const circle = def.type === 'component' && def.required === true ? needsItself(def.component, scope) : null;
  if (circle !== null)
    report(`requires a component that requires itself: ${circle.join(' → ')}; make one of them optional`);
}

export function checkAttribute({ key, def }: NamedDefinition, scope: AttributeContext, report: Report): void {
  if (!ATTRIBUTE.test(key))
    return report('a name starts with a letter and has only letters, digits and underscores');
  if (Buffer.byteLength(key) > MAX_IDENTIFIER_BYTES)
    return report(`the name is longer than ${MAX_IDENTIFIER_BYTES} bytes`);
  const more = scope.type?.draftAndPublish === true ? ['status'] : [];
  const reserved = scope.type === undefined ? ['__component'] : more;
  if ([...RESERVED, ...reserved].includes(key)) return report('the name is reserved');
  if (!isObject(def)) return report('must be an object with a "type"');
  const type: unknown = def.type;
  if (typeof type !== 'string' || !Object.hasOwn(ATTRIBUTE_OPTIONS, type))
    return report(`unknown type "${String(type)}"${among(String(type), Object.keys(ATTRIBUTE_OPTIONS))}`);
  if (
    !checkOptions(def, { options: ATTRIBUTE_OPTIONS[def.type], needed: REQUIRED_OPTIONS[type] ?? [] }, report)
  )
    return;
  if (!checkLayout(def, ATTRIBUTE_LAYOUT, report)) return;
  checkValueNames(def, report);
  if (def.localized === true && scope.type !== undefined && scope.type.localized !== true)
    report('is localized, but its type is not: set localized: true on the type');
  if (def.type === 'relation') checkRelation({ key, def }, scope, report);
  else if (def.type === 'component' || def.type === 'dynamiczone') checkEmbedded(def, scope, report);
  else if (def.type !== 'media') checkScalar({ key, def }, scope, report);
}
