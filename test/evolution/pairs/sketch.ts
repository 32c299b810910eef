/** A model whose parts keep their keys through all changes, and its definitions. */
import type { ComponentDefinition, ContentTypeDefinition } from 'nestjs-content-api';
import type { Model } from '../run.ts';

type Attributes = ContentTypeDefinition['attributes'];

export type Relation = 'oneToOne' | 'oneToMany' | 'manyToOne' | 'manyToMany';

/** Kind of a member; types, components and members are named by their keys. */
export type Shape =
  | { kind: 'scalar'; type: string }
  | { kind: 'relation'; relation: Relation; target: string; other: string | null; owns: boolean }
  | { kind: 'morph'; relation: 'morphToOne' | 'morphToMany'; targets: string[] }
  | { kind: 'side'; relation: 'morphOne' | 'morphMany'; target: string; by: string }
  | { kind: 'component'; component: string; repeatable: boolean }
  | { kind: 'zone'; components: string[] };

export interface Member {
  readonly key: string;
  name: string;
  shape: Shape;
  /** Options of its definition: `private`, `unique`, `convert` and the like. */
  options: Record<string, unknown>;
}

export interface Part {
  readonly key: string;
  name: string;
  members: Member[];
  removed: string[];
}

export interface Type extends Part {
  isSingle: boolean;
  plural: string;
  table: string | null;
  drafts: boolean;
  localized: boolean;
}

export interface Sketch {
  types: Type[];
  parts: Part[];
  locales: string[];
  defaultLocale: string;
  removed: string[];
  /** Number of keys and names created so far. */
  made: number;
}

export const typeOf = ({ types }: Sketch, key: string): Type => found(types, key);
export const partOf = ({ parts }: Sketch, key: string): Part => found(parts, key);

function found<T extends { readonly key: string }>(list: readonly T[], key: string): T {
  const one = list.find((item) => item.key === key);
  if (one === undefined) throw new Error(`There is no ${key}`);
  return one;
}

export const allMembers = ({ types, parts }: Sketch): { readonly owner: Part; readonly member: Member }[] =>
  [...types, ...parts].flatMap((owner) => owner.members.map((member) => ({ owner, member })));

const memberName = (sketch: Sketch, key: string): string =>
  allMembers(sketch).find(({ member }) => member.key === key)?.member.name ?? key;

function shapeDefinition(sketch: Sketch, shape: Shape): object {
  switch (shape.kind) {
    case 'scalar':
      return { type: shape.type };
    case 'relation': {
      const { relation, target, other, owns } = shape;
      const word = owns ? 'inversedBy' : 'mappedBy';
      const more = other === null ? {} : { [word]: memberName(sketch, other) };
      return { type: 'relation', relation, target: typeOf(sketch, target).name, ...more };
    }
    case 'morph': {
      const targets = shape.targets.map((key) => typeOf(sketch, key).name);
      return { type: 'relation', relation: shape.relation, targets };
    }
    case 'side': {
      const { relation, target, by } = shape;
      const morphBy = memberName(sketch, by);
      return { type: 'relation', relation, target: typeOf(sketch, target).name, morphBy };
    }
    case 'component': {
      const { component, repeatable } = shape;
      return { type: 'component', component: partOf(sketch, component).name, repeatable };
    }
    case 'zone':
      return { type: 'dynamiczone', components: shape.components.map((key) => partOf(sketch, key).name) };
  }
}

/** Returns the former name of a part, if its name has changed. */
const previous = (now: { readonly name: string }, former: { readonly name: string } | undefined): object =>
  former === undefined || former.name === now.name ? {} : { previousName: former.name };

function attributesOf(
  sketch: Sketch,
  part: Part,
  former: Part | undefined,
): ContentTypeDefinition['attributes'] {
  const entries = part.members.map((member): [string, Attributes[string]] => {
    const was = former?.members.find(({ key }) => key === member.key);
    const definition = {
      ...shapeDefinition(sketch, member.shape),
      ...member.options,
      ...previous(member, was),
    };
    return [member.name, definition as Attributes[string]];
  });
  return Object.fromEntries(entries);
}

const given = (removed: readonly string[]): object => (removed.length === 0 ? {} : { removed: [...removed] });

/** Returns the definitions of a model, with the former names of renamed parts. */
export function print(sketch: Sketch, before?: Sketch): Model {
  const contentTypes = sketch.types.map((type): ContentTypeDefinition => {
    const former = before?.types.find(({ key }) => key === type.key);
    return {
      kind: type.isSingle ? 'singleType' : 'collectionType',
      singularApiId: type.name,
      pluralApiId: type.plural,
      ...(type.table === null ? {} : { tableName: type.table }),
      draftAndPublish: type.drafts,
      localized: type.localized,
      ...previous(type, former),
      ...given(type.removed),
      attributes: attributesOf(sketch, type, former),
    };
  });
  const components = sketch.parts.map((part): ComponentDefinition => {
    const former = before?.parts.find(({ key }) => key === part.key);
    const attributes = attributesOf(sketch, part, former);
    return { uid: part.name, ...previous(part, former), ...given(part.removed), attributes };
  });
  const { locales, defaultLocale, removed } = sketch;
  return { contentTypes, components, locales, defaultLocale, ...given(removed) };
}
