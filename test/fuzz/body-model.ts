/**
 * All fixture models in one: every attribute type, every relation, nested components, drafts, locales and
 * validation rules.
 */
import type { ComponentDefinition, ContentModuleOptions, ContentTypeDefinition } from 'nestjs-content-api';
import { embedding } from '../fixtures/components.ts';
import { relations } from '../fixtures/relations.ts';
import { scalars } from '../fixtures/scalars.ts';
import { model } from './model.ts';

/** Types that no caller may read or write. */
const CLOSED = ['company', 'ledger', 'vault'];

const own = <T extends { singularApiId: string }>(
  types: readonly T[],
  taken: readonly { singularApiId: string }[],
): T[] => types.filter(({ singularApiId }) => !taken.some((other) => other.singularApiId === singularApiId));

const first: readonly ContentTypeDefinition[] = [...model.contentTypes, ...scalars.contentTypes];
const second: readonly ContentTypeDefinition[] = [...first, ...own(relations.contentTypes, first)];
export const contentTypes: readonly ContentTypeDefinition[] = [
  ...second,
  ...own(embedding.contentTypes, second),
];

const allComponents: readonly ComponentDefinition[] = [
  ...model.components,
  ...relations.components,
  ...embedding.components,
];
export const components: ReadonlyMap<string, ComponentDefinition> = new Map(
  allComponents.map((component) => [component.uid, component]),
);

export const types: ReadonlyMap<string, ContentTypeDefinition> = new Map(
  contentTypes.map((type) => [type.singularApiId, type]),
);
export const openTypes: readonly ContentTypeDefinition[] = contentTypes.filter(
  ({ singularApiId }) => !CLOSED.includes(singularApiId),
);

export const isOpen = (singularApiId: string): boolean => !CLOSED.includes(singularApiId);

/** Path segment of a type. */
export const routeOf = (type: ContentTypeDefinition): string =>
  (type.kind === 'collectionType' ? type.pluralApiId : type.singularApiId) ?? '';

export const options: Omit<ContentModuleOptions, 'database'> = {
  contentTypes,
  components: [...components.values()],
  locales: ['en', 'fr', 'de'],
  access: {
    public: {
      file: ['find'],
      ...Object.fromEntries(openTypes.map(({ singularApiId }) => [singularApiId, '*' as const])),
    },
  },
};
