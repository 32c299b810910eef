/** The description of the API for one caller: what they may ask, and what is answered. */
import type { ContentDocument, JsonSchema, Paths } from './document.js';
import { Components } from './components.js';
import type { Describe, Describing } from './describing.js';
import { withPositions } from './headers.js';
import { typePaths } from './routes.js';

const VERSION = '3.1.1';

/** How requests say who asks: a token, or what the host's strategies look at. */
function schemesOf({ credentials }: Pick<Describing, 'credentials'>): Record<string, JsonSchema> {
  const others = credentials.filter((name) => name.toLowerCase() !== 'authorization');
  return {
    bearer: { type: 'http', scheme: 'bearer', description: 'API token, or the `jwt` from a sign-in.' },
    ...Object.fromEntries(others.map((name) => [name, { type: 'apiKey', in: 'header', name }])),
  };
}

/** Paths of the same name have the operations of all; of two for one method the later stands. */
function mergePaths(...all: readonly Paths[]): Paths {
  const merged: Record<string, Paths[string]> = {};
  for (const [path, operations] of all.flatMap((paths) => Object.entries(paths)))
    merged[path] = { ...merged[path], ...operations };
  return merged;
}

/** Describes all routes of the content types, and those that others add. */
export function describe(asked: Omit<Describing, 'components'>, more: readonly Describe[]): ContentDocument {
  const describing: Describing = { ...asked, components: new Components() };
  const { caller, schema, settings } = describing;
  const types = [...schema.types.values()].map((type) => typePaths(type, describing));
  const paths = withPositions(mergePaths(...types, ...more.map((add) => add(describing))), describing);
  const tags = Object.values(paths).flatMap((path) => Object.values(path).flatMap((one) => one.tags));
  const schemes = schemesOf(asked);
  const needed = Object.keys(schemes).map((name) => ({ [name]: [] }));
  return {
    openapi: VERSION,
    info: { title: settings.openapi.title, version: settings.openapi.version },
    servers: [{ url: '/' }],
    security: caller.kind === 'public' ? [{}, ...needed] : needed,
    tags: [...new Set(tags)].map((name) => ({ name })),
    paths,
    components: { ...describing.components.all(), securitySchemes: schemes },
  };
}
