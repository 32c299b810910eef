/** Merges the content document with the application's own document from `@nestjs/swagger`. */
import type { Describe } from './describing.js';
import type { ContentDocument, NamedParts, Operation, Paths } from './document.js';

type Members = Readonly<Record<string, unknown>>;

/** Document of `SwaggerModule.createDocument`. */
export interface HostDocument {
  readonly openapi: string;
  readonly paths: object;
  readonly components?: object;
  readonly tags?: readonly { readonly name: string }[];
}

/** Maps a part's name to its name in the merged document. */
type Renaming = (section: string, name: string) => string;

const PART = /^#\/components\/([^/]+)\/(.+)$/;

function renamedIn(value: unknown, to: Renaming): unknown {
  if (Array.isArray(value)) return value.map((item) => renamedIn(item, to));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, nested]: [string, unknown]) => {
      const [, section, name] = key === '$ref' && typeof nested === 'string' ? (PART.exec(nested) ?? []) : [];
      const isPart = section !== undefined && name !== undefined;
      return [key, isPart ? `#/components/${section}/${to(section, name)}` : renamedIn(nested, to)];
    }),
  );
}

const rename = <T>(value: T, to: Renaming): T => renamedIn(value, to) as T;

/** Throws for a document of another version, whose schemas have other semantics. */
function checkVersion({ openapi }: HostDocument): void {
  if (openapi.startsWith('3.1')) return;
  throw new Error(
    `The content is described by OpenAPI 3.1, and this document is ${openapi}: ` +
      "new DocumentBuilder().setOpenAPIVersion('3.1.0') makes one that it can be merged with",
  );
}

const sectionsOf = (document: HostDocument): Readonly<Record<string, Members>> =>
  (document.components ?? {}) as Readonly<Record<string, Members>>;

/** Merges the parts; of security schemes with the same name, the application's is used. */
function mergeSections(host: HostDocument, content: ContentDocument['components'], to: Renaming): Members {
  const merged: Record<string, Members> = { ...sectionsOf(host) };
  const { schemas, parameters, responses, securitySchemes } = content;
  const sections: Readonly<Record<string, Members>> = { schemas, parameters, responses, securitySchemes };
  for (const [section, parts] of Object.entries(sections)) {
    const own = Object.entries(parts).map(([name, part]) => [to(section, name), rename(part, to)]);
    merged[section] = { ...(Object.fromEntries(own) as Members), ...merged[section] };
  }
  return merged;
}

/**
 * Merges the content's routes into the application's document, for `SwaggerModule.setup`. If both describe
 * the same method of a path, the application's description is used. A content part whose name is in use gets
 * the prefix `Content`. Throws an Error unless the application's document is OpenAPI 3.1.
 *
 * @example
 * const config = new DocumentBuilder().setOpenAPIVersion('3.1.0').build();
 * const own = SwaggerModule.createDocument(app, config);
 * const content = app.get(ContentOpenApi).documentFor();
 * SwaggerModule.setup('docs', app, mergeContentDocument(own, content));
 *
 * @publicApi
 */
export function mergeContentDocument<T extends HostDocument>(host: T, content: ContentDocument): T {
  checkVersion(host);
  const taken = sectionsOf(host);
  const to: Renaming = (section, name) =>
    section !== 'securitySchemes' && Object.hasOwn(taken[section] ?? {}, name) ? `Content${name}` : name;
  const paths: Record<string, object> = {};
  for (const [path, operations] of Object.entries(content.paths)) {
    const secured = Object.entries(operations).map(([method, operation]) => [
      method,
      { ...rename(operation, to), security: content.security },
    ]);
    paths[path] = Object.fromEntries(secured) as object;
  }
  for (const [path, operations] of Object.entries(host.paths as Record<string, object>))
    paths[path] = { ...paths[path], ...operations };
  const names = new Set((host.tags ?? []).map(({ name }) => name));
  const tags = [...(host.tags ?? []), ...content.tags.filter(({ name }) => !names.has(name))];
  return { ...host, paths, tags, components: mergeSections(host, content.components, to) };
}

const SECTIONS: readonly (keyof NamedParts)[] = ['schemas', 'parameters', 'responses'];

/** Operation of the application, whose `security` is replaced by that of the merged document. */
type HostOperation = Operation & { readonly security?: unknown };

/**
 * Adds the routes of the application's document for every caller, because the library does not know their
 * permissions. Throws an Error unless the document is OpenAPI 3.1.
 */
export function hostPaths(host: HostDocument): Describe {
  checkVersion(host);
  const parts = sectionsOf(host) as Partial<NamedParts>;
  return ({ components }) => {
    const to: Renaming = (section, name) => {
      const sectionName = SECTIONS.find((one) => one === section);
      const part = sectionName === undefined ? undefined : parts[sectionName]?.[name];
      if (sectionName === undefined || part === undefined) return name;
      const at = { key: `host ${name}`, name };
      return components.ref(sectionName, at, () => rename(part, to)).$ref.replace(PART, '$2');
    };
    const renameOperation = ({ security: _security, ...operation }: HostOperation): Operation => ({
      ...rename(operation, to),
      tags: operation.tags ?? [],
    });
    return Object.fromEntries(
      Object.entries(host.paths as Paths).map(([path, operations]) => [
        path,
        Object.fromEntries(
          Object.entries(operations).map(([method, operation]) => [method, renameOperation(operation)]),
        ),
      ]),
    );
  };
}
