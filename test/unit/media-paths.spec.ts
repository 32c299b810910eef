/** Search for files in component instances: by exact paths, or by names if there are too many paths. */
import { defineCollectionType, defineComponent } from 'nestjs-content-api';
import { buildSchema } from '../../src/content/model/build-schema.ts';
import type { AttributeDefinitions } from '../../src/content/model/definitions.ts';
import { filePathOf } from '../../src/content/model/media-names.ts';
import type { EmbeddedAttribute } from '../../src/content/model/model.ts';

/** Returns the path of a zone of all components. */
function pathOf(models: Readonly<Record<string, AttributeDefinitions>>): string | null {
  const components = Object.entries(models).map(([name, attributes]) =>
    defineComponent({ uid: `a.${name}`, attributes }),
  );
  const uids = components.map(({ uid }) => uid);
  const type = defineCollectionType({
    singularApiId: 'page',
    pluralApiId: 'pages',
    attributes: { zone: { type: 'dynamiczone', components: uids } },
  });
  const { types } = buildSchema([type], components);
  return filePathOf(types.get('page')?.attributes.get('zone') as EmbeddedAttribute);
}

const media = { type: 'media' } as const;
const hidden = { type: 'media', private: true } as const;

it.each<[string, Readonly<Record<string, AttributeDefinitions>>, string | null]>([
  ['no files', { x: { text: { type: 'string' } } }, null],
  ['only hidden files', { x: { file: hidden } }, null],
  ['a file', { x: { file: media } }, '$ ? ((@.__component == "a.x" && (exists(@."file" ? (@ == $file)))))'],
  [
    'one name, shown and hidden',
    { x: { file: media }, y: { file: hidden, more: { type: 'component', component: 'a.x' } } },
    '$ ? ((@.__component == "a.x" && (exists(@."file" ? (@ == $file)))) || (@.__component == "a.y" && (exists(@."more" ? (exists(@."file" ? (@ == $file)))))))',
  ],
  [
    'a component that contains itself',
    { x: { file: media, scan: hidden, more: { type: 'component', component: 'a.x', repeatable: true } } },
    '$.** ? (@."file" == $file)',
  ],
])('%s', (_what, models, expected) => expect(pathOf(models)).toBe(expected));

it('nested components with 10^9 paths', () => {
  const depth = 30;
  const models = Object.fromEntries(
    Array.from({ length: depth }, (_, i) => {
      const next = { type: 'component', component: `a.c${i + 1}` } as const;
      const attributes: AttributeDefinitions =
        i === depth - 1 ? { file: media } : { left: next, right: next };
      return [`c${i}`, attributes];
    }),
  );
  expect(pathOf(models)).toBe('$.** ? (@."file" == $file)');
});
