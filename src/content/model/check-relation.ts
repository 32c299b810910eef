import { isObject } from '../../kernel/json.js';
import { type AttributeContext, attributeOf } from './attribute-context.js';
import type {
  ContentTypeDefinition,
  MorphDefinition,
  MorphSideDefinition,
  NamedDefinition,
  RelationDefinition,
} from './definitions.js';
import { ATTRIBUTE_OPTIONS, type Report } from './options.js';
import { type AnyRelation, isMorph, isMorphSide, LEADING, RELATION_KINDS } from './relation-kinds.js';
import { among, noSuchType } from './suggest.js';

const OPPOSITE: Readonly<Record<string, string>> = {
  oneToOne: 'oneToOne',
  oneToMany: 'manyToOne',
  manyToOne: 'oneToMany',
  manyToMany: 'manyToMany',
};

function findType(
  { option, name }: { readonly option: string; readonly name: string },
  { types }: AttributeContext,
  report: Report,
): ContentTypeDefinition | undefined {
  const type = types.get(name);
  if (name === 'file') report(`${option} "file": files are linked with type "media"`);
  else if (type === undefined) report(`${option} ${noSuchType(name, [...types.keys()])}`);
  return name === 'file' ? undefined : type;
}

function checkTwoWay(
  { key, def }: NamedDefinition<RelationDefinition>,
  scope: AttributeContext,
  report: Report,
): void {
  const target = findType({ option: 'target', name: def.target }, scope, report);
  if (target === undefined) return;
  const other = def.mappedBy ?? def.inversedBy;
  if (def.mappedBy !== undefined && def.inversedBy !== undefined)
    report('has both "mappedBy" and "inversedBy"; the owning side has only "inversedBy"');
  if (other === undefined) return;
  if (scope.type === undefined)
    return report('a relation inside a component is one-way: remove "mappedBy" and "inversedBy"');
  if (def.mappedBy !== undefined && def.relation === 'manyToOne')
    report('the "manyToOne" side owns the relation: use "inversedBy"');
  if (def.inversedBy !== undefined && def.relation === 'oneToMany')
    report('the "oneToMany" side does not own the relation: use "mappedBy"');
  if (!isObject(target.attributes)) return;
  const mirror = attributeOf(target.attributes, other);
  if (!isObject(mirror))
    return report(
      `"${other}" is not an attribute of "${def.target}"${among(other, Object.keys(target.attributes))}`,
    );
  const word = def.mappedBy === undefined ? 'mappedBy' : 'inversedBy';
  const isOther = mirror.type === 'relation' && word in mirror && mirror[word] === key;
  if (!isOther || mirror.target !== scope.name) {
    report(`"${def.target}.${other}" must be a relation to "${scope.name}" with ${word}: "${key}"`);
  } else if (mirror.relation !== OPPOSITE[def.relation]) {
    report(`"${def.target}.${other}" must be "${OPPOSITE[def.relation] ?? ''}"`);
  }
}

const leadsTo = ({ targets }: MorphDefinition, { singularApiId, routes }: ContentTypeDefinition): boolean =>
  targets === undefined ? routes !== false : targets.includes(singularApiId);

function checkMorph(def: MorphDefinition, scope: AttributeContext, report: Report): void {
  for (const name of def.targets ?? []) findType({ option: 'targets', name }, scope, report);
  if (def.targets === undefined && ![...scope.types.values()].some((type) => leadsTo(def, type)))
    report('has no targets, because no content type has routes: set "targets"');
}

/**
 * Returns the first attribute with the same owning side. Each type shows those links in one attribute at
 * most.
 */
const twinOf = (
  { key, def }: NamedDefinition<MorphSideDefinition>,
  { attributes }: AttributeContext,
): string | undefined => {
  const same = ([, one]: [string, unknown]): boolean =>
    isObject(one) && one['morphBy'] === def.morphBy && one['target'] === def.target;
  const first = Object.entries(attributes).find(same)?.[0];
  return first === key ? undefined : first;
};

function checkMorphSide(
  { key, def }: NamedDefinition<MorphSideDefinition>,
  scope: AttributeContext,
  report: Report,
): void {
  if (scope.type === undefined)
    return report(`a relation inside a component has no other side: use "morphToOne" or "morphToMany"`);
  const target = findType({ option: 'target', name: def.target }, scope, report);
  if (target === undefined || !isObject(target.attributes)) return;
  const owner = attributeOf(target.attributes, def.morphBy);
  const named = `"${def.target}.${def.morphBy}"`;
  if (!isObject(owner))
    return report(
      `"${def.morphBy}" is not an attribute of "${def.target}"${among(def.morphBy, Object.keys(target.attributes))}`,
    );
  if (owner.type !== 'relation' || !isMorph(owner))
    return report(`${named} must be a "morphToOne" or "morphToMany" relation`);
  if (!leadsTo(owner, scope.type))
    report(`${named} does not target "${scope.name}": add it to "targets" there`);
  const twin = twinOf({ key, def }, scope);
  if (twin !== undefined) report(`"${twin}" is already the other side of ${named}`);
}

function checkKind(def: AnyRelation, report: Report): boolean {
  const { needs, takes } = RELATION_KINDS[def.relation];
  const options: Readonly<Record<string, unknown>> = { ...def };
  const isSet = (option: string): boolean => options[option] !== undefined;
  const missing = needs.filter((option) => !isSet(option));
  const foreign = LEADING.filter((option) => isSet(option) && !takes.includes(option));
  for (const option of missing)
    report(`needs "${option}", ${ATTRIBUTE_OPTIONS.relation[option]?.expected ?? ''}`);
  for (const option of foreign)
    report(
      `a "${def.relation}" relation does not accept "${option}", only ${takes.map((one) => `"${one}"`).join(', ')}`,
    );
  return missing.length + foreign.length === 0;
}

export function checkRelation(
  { key, def }: NamedDefinition<AnyRelation>,
  scope: AttributeContext,
  report: Report,
): void {
  if (!checkKind(def, report)) return;
  if (isMorph(def)) checkMorph(def, scope, report);
  else if (isMorphSide(def)) checkMorphSide({ key, def }, scope, report);
  else checkTwoWay({ key, def }, scope, report);
}
