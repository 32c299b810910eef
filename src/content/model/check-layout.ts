/** Finds mistakes in the layouts of the desk. */
import type { AttributeDefinition, AttributeDefinitions } from './definitions.js';
import { attributeOf } from './attribute-context.js';
import { ALWAYS_LISTED, type ComponentLayout, type TypeLayout } from './layout.js';
import type { Options } from './option-table.js';
import { checkOptions, type Report } from './options.js';
import { among } from './suggest.js';

interface Laid {
  readonly desk?: object;
  readonly attributes?: AttributeDefinitions;
}

const under =
  (report: Report): Report =>
  (message) =>
    report(`desk: ${message}`);

/** Reports a name that is not an attribute, or an attribute that responses never contain. */
function checkName(key: string, { name, attributes = {} }: Naming, report: Report): void {
  const always: readonly string[] = name === 'component' ? [] : ALWAYS_LISTED;
  if (always.includes(key)) return;
  const attribute = attributeOf(attributes, key);
  if (attribute === undefined)
    report(`"${key}" is not an attribute${among(key, [...Object.keys(attributes), ...always])}`);
  else if (attribute.private === true || attribute.type === 'password')
    report(`"${key}" is never shown: it is ${attribute.type === 'password' ? 'a password' : 'private'}`);
}

interface Naming {
  readonly name: 'type' | 'component';
  readonly attributes?: AttributeDefinitions | undefined;
}

function checkOrder(key: string, naming: Naming, report: Report): void {
  const always: readonly string[] = ALWAYS_LISTED;
  const type = attributeOf(naming.attributes ?? {}, key)?.type;
  if ((type !== undefined && type !== 'integer') || always.includes(key))
    report(`"${key}" must be an integer attribute`);
  else checkName(key, naming, report);
}

export function checkLayout({ desk }: Laid, options: Options, report: Report): boolean {
  return desk === undefined || checkOptions(desk, { options, needed: [] }, under(report));
}

/** Checks that the named values of an attribute are those of its enumeration. */
export function checkValueNames(def: AttributeDefinition, report: Report): void {
  const known = def.type === 'enumeration' ? (def.enum ?? []) : [];
  for (const value of Object.keys(def.desk?.values ?? {}).filter((one) => !known.includes(one)))
    report(`desk.values: "${value}" is not a value of an enumeration${among(value, known)}`);
}

/** Checks the names in the layout of a type or component whose options are valid. */
export function checkLayoutNames({ desk, attributes }: Laid, name: Naming['name'], report: Report): void {
  const { title, list = [], order }: TypeLayout & ComponentLayout = desk ?? {};
  const naming = { name, attributes };
  if (title !== undefined) checkName(title, naming, (message) => report(`desk.title: ${message}`));
  for (const key of list) checkName(key, naming, (message) => report(`desk.list: ${message}`));
  if (order !== undefined) checkOrder(order, naming, (message) => report(`desk.order: ${message}`));
}
