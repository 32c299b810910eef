/** OpenAPI document for one caller: permitted operations and their responses. */
import type { ContentDocument, JsonSchema, Paths } from './document.js';
import { Components } from './components.js';
import type { Describe, Describing } from './describing.js';
import { withPositions } from './headers.js';
import { typePaths } from './routes.js';

const VERSION = '3.1.1';

/** Returns the security schemes: a bearer token, and the headers that strategies read. */
function schemesOf({ credentials }: Pick<Describing, 'credentials'>): Record<string, JsonSchema> {
  const others = credentials.filter((name) => name.toLowerCase() !== 'authorization');
  return {
    bearer: { type: 'http', scheme: 'bearer', description: 'API token, or the `jwt` from a sign-in.' },
    ...Object.fromEntries(others.map((name) => [name, { type: 'apiKey', in: 'header', name }])),
  };
}

/** Merges the operations of equal paths; for the same method, the later one replaces the earlier. */
function mergePaths(...all: readonly Paths[]): Paths {
  const merged: Record<string, Paths[string]> = {};
  for (const [path, operations] of all.flatMap((paths) => Object.entries(paths)))
    merged[path] = { ...merged[path], ...operations };
  return merged;
}

/** Describes a group of operations: those of a content type, or those with the same first segment. */
function aboutTag(name: string, { base, schema }: Describing): string {
  const type = schema.types.get(name);
  if (type === undefined) return `Operations below \`${base}/${name}\`.`;
  const { kind, draftAndPublish, localized } = type;
  return [
    kind === 'singleType' ? 'One document' : 'Documents',
    ...(draftAndPublish ? [', with drafts'] : []),
    ...(localized ? [`${draftAndPublish ? ' and' : ', with'} languages`] : []),
    '.',
  ].join('');
}

/** Describes the routes of all content types and the additional ones. */
export function describe(base: Omit<Describing, 'components'>, more: readonly Describe[]): ContentDocument {
  const describing: Describing = { ...base, components: new Components() };
  const { caller, schema, settings } = describing;
  const { title, version, info } = settings.openapi;
  const types = [...schema.types.values()].map((type) => typePaths(type, describing));
  const paths = withPositions(mergePaths(...types, ...more.map((add) => add(describing))), describing);
  const tags = Object.values(paths).flatMap((path) => Object.values(path).flatMap((one) => one.tags));
  const schemes = schemesOf(base);
  const needed = Object.keys(schemes).map((name) => ({ [name]: [] }));
  return {
    openapi: VERSION,
    info: { title, version, ...info },
    servers: [{ url: '/' }],
    security: caller.kind === 'public' ? [{}, ...needed] : needed,
    tags: [...new Set(tags)].map((name) => ({ name, description: aboutTag(name, describing) })),
    paths,
    components: { ...describing.components.all(), securitySchemes: schemes },
  };
}
