/** Reads the schema files of a Strapi project: types, components and extensions. */
import type { ScalarTypeName } from '../../content/model/definitions.js';
import { messageOf } from '../../kernel/errors.js';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { isObject } from '../../kernel/json.js';
import { AdoptError } from './adopt-error.js';
import { isApiConfig, privateNames, withPrivate } from './private-everywhere.js';
import type { Remark } from './remark.js';
import { repeatedKeys } from './repeated-keys.js';
import { CodeOfSchemas } from './schemas-in-code.js';
import type { SourceSchema } from './source-schema.js';
import { isGenerated, storedTypes, withStoredTypes } from './stored-types.js';

/** Folders that contain no sources. */
const SKIPPED: readonly string[] = ['node_modules', '.git', '.cache', '.strapi', '.tmp'];
/** Folders of results, unless a project gives an API, a category of components or a type such a name. */
const BUILT: readonly string[] = ['dist', 'build', 'public'];
const OF_NAMES = /(?:^|[\\/])(?:src[\\/](?:api|components|extensions|plugins)|content-types)$/;

const isSkipped = (directory: string, name: string): boolean =>
  SKIPPED.includes(name) || (BUILT.includes(name) && !OF_NAMES.test(directory));
/** Maximum depth of folders below the given one, which may be a monorepo. */
const MAX_DEPTH = 12;

async function* filesBelow(directory: string, depth = 0): AsyncGenerator<string> {
  if (depth > MAX_DEPTH) return;
  const entries = await readdir(directory, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(directory, entry.name);
    if (entry.isFile()) yield path;
    else if (entry.isDirectory() && !isSkipped(directory, entry.name)) yield* filesBelow(path, depth + 1);
  }
}

/** Words as lodash splits them. */
const WORDS = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;
const KEBAB = /^([a-z][a-z0-9]*)(-[a-z0-9]+)*$/;

/** Returns the name that Strapi derives from a folder, such as `blog-post` from `blogPost`. */
const folderName = (name = ''): string =>
  KEBAB.test(name) ? name : (name.match(WORDS) ?? [name]).join('-').toLowerCase();

/** Paths of schemas below `src`, and their uids. */
const PLACES: readonly (readonly [RegExp, (groups: readonly string[]) => string])[] = [
  [
    /(?:^|\/)api\/([^/]+)\/content-types\/([^/]+)\/schema\.json$/,
    ([api, name]) => `api::${folderName(api)}.${folderName(name)}`,
  ],
  [
    /(?:^|\/)extensions\/([^/]+)\/content-types\/([^/]+)\/schema\.json$/,
    ([plugin, name]) => `plugin::${plugin}.${name}`,
  ],
  [
    /(?:^|\/)plugins\/([^/]+)\/(?:server\/)?(?:src\/)?content-types\/([^/]+)\/schema\.json$/,
    ([plugin, name]) => `plugin::${plugin}.${name}`,
  ],
  [
    /(?:^|\/)plugins\/([^/]+)\/(?:server\/)?(?:src\/)?content-types\/([^/]+)\.json$/,
    ([plugin, name]) => `plugin::${plugin}.${name}`,
  ],
  [/(?:^|\/)components\/([^/]+)\/([^/]+)\.json$/, ([category, name]) => `${category}.${name}`],
];

const REPEATED = 'The file repeats the key: only its last value counts, as in Strapi';
/** Files that change types of plugins. */
const EXTENSION = /(?:^|\/)extensions\//;

function uidOf(path: string): string | null {
  for (const [pattern, named] of PLACES) {
    const [, ...groups] = pattern.exec(path) ?? [];
    if (groups.length > 0) return named(groups);
  }
  return null;
}

/** Whether the file changes other parts of a type than its attributes. */
const isPartial = (file: string, schema: object): boolean =>
  EXTENSION.test(file) && !('attributes' in schema);

/** Returns the schema of a file. A component outside of `src/components` has no attributes, and is none. */
function schemaIn(text: string, [uid, file]: readonly [string, string]): SourceSchema | Remark | null {
  const subject = uid;
  try {
    const schema: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    if (!isObject(schema) || !(isObject(schema['attributes']) || isPartial(file, schema)))
      return uid.includes('::') || isObject(schema)
        ? {
            list: 'none',
            subject,
            file,
            key: 'attributes',
            text: 'The file is not a schema: "attributes" is not an object',
          }
        : null;
    return { uid, file, schema };
  } catch (error) {
    const reason = messageOf(error);
    return {
      list: 'none',
      subject,
      file,
      text: `The file is not JSON: correct it, and run again (${reason})`,
    };
  }
}

const isExtension = ({ file }: SourceSchema): boolean => EXTENSION.test(file);

/** Joins extensions with the schemas that they change, key by key as Strapi does. */
function extended(schemas: readonly SourceSchema[]): Schemas {
  const changed = new Set<SourceSchema>();
  const remarks: Remark[] = [];
  const extensions = schemas.filter(isExtension).flatMap((extension): SourceSchema[] => {
    const { uid, file, schema } = extension;
    const base = schemas.find((one) => one.uid === uid && !isExtension(one));
    if (base !== undefined) {
      changed.add(base);
      return [{ uid, file, schema: { ...base.schema, ...schema } }];
    }
    if ('attributes' in schema) return [extension];
    const text = 'The type is left out: the project does not contain its attributes. An export does';
    remarks.push({ list: 'none', subject: uid, file, text });
    return [];
  });
  const others = schemas.filter((one) => !isExtension(one) && !changed.has(one));
  return { schemas: [...others, ...extensions], remarks };
}

/** Path of a type, with the folder of its project. */
const OF_PROJECT = /^(?:(.*?)\/)??(?:src\/)?api\/[^/]+\/content-types\//;

/**
 * Returns the folders of other projects below a project. Throws an AdoptError if the folder is none, and
 * contains several.
 */
function otherProjects(schemas: readonly SourceSchema[], directory: string): readonly string[] {
  const types = schemas.filter(({ uid }) => uid.startsWith('api::'));
  const all = [...new Set(types.map(({ file }) => OF_PROJECT.exec(file)?.[1] ?? ''))];
  if (all.length > 1 && !all.includes(''))
    throw new AdoptError(
      `${directory} contains several projects: name the folder of one, ${all.join(' or ')}`,
    );
  return all.includes('') ? all.filter((one) => one !== '') : [];
}

const OF_OTHER = 'The folder is another project, and is not read: name it to adopt that project';

/** Leaves out the files of other projects below a project. */
function withoutOthers({ schemas, remarks }: Schemas, directory: string): Schemas {
  const others = otherProjects(schemas, directory);
  const isOwn = ({ file = '' }: { readonly file?: string }): boolean =>
    !others.some((one) => file.startsWith(`${one}/`));
  const left = others.map((file): Remark => ({ list: 'none', subject: file, file, text: OF_OTHER }));
  return { schemas: schemas.filter(isOwn), remarks: [...remarks.filter(isOwn), ...left] };
}

interface Schemas {
  readonly schemas: readonly SourceSchema[];
  readonly remarks: readonly Remark[];
}

export interface ProjectSchemas extends Schemas {
  /** Attributes that the configuration hides in all types. The schemas have them as an option. */
  readonly privateNames: readonly string[];
}

/**
 * Reads all schema files below a directory, which may be a project or a monorepo. Throws an AdoptError if
 * there are none.
 */
export async function readProject(directory: string): Promise<ProjectSchemas> {
  const schemas: SourceSchema[] = [];
  const remarks: Remark[] = [];
  const code = new CodeOfSchemas();
  const stored = new Map<string, ScalarTypeName>();
  const names: string[] = [];
  for await (const path of filesBelow(directory)) {
    const file = relative(directory, path).split(sep).join('/');
    await code.add(file, path);
    if (isGenerated(file))
      for (const [field, type] of storedTypes(await readFile(path, 'utf8'))) stored.set(field, type);
    if (isApiConfig(file)) {
      const hidden = privateNames(await readFile(path, 'utf8'), file);
      names.push(...hidden.names);
      remarks.push(...hidden.remarks);
    }
    const uid = uidOf(file);
    if (uid === null) continue;
    const text = await readFile(path, 'utf8');
    const found = schemaIn(text, [uid, file]);
    if (found === null) continue;
    if (!('schema' in found)) {
      remarks.push(found);
      continue;
    }
    schemas.push(found);
    for (const key of repeatedKeys(text))
      remarks.push({ list: 'none', subject: uid, key, file, text: REPEATED });
  }
  remarks.push(...code.remarks(schemas));
  if (schemas.length === 0 && remarks.length === 0)
    throw new AdoptError(`${directory} contains no schema files: name the folder of a Strapi project`);
  const own = withoutOthers({ schemas, remarks }, directory);
  const whole = extended(own.schemas);
  return {
    schemas: withStoredTypes(withPrivate(whole.schemas, names), stored),
    remarks: [...own.remarks, ...whole.remarks],
    privateNames: names,
  };
}
