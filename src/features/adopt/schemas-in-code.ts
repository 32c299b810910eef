/** Schemas that a project writes as code, or in the format of Strapi 3: this command reports them. */
import { readFile } from 'node:fs/promises';
import type { Remark } from './remark.js';
import type { SourceSchema } from './source-schema.js';

const OF_OLD = 'The model is of Strapi 3, which cannot be adopted';
const OF_CODE = 'The schema is code: write its definition by hand, or adopt an export of the project';
const OF_EXTENSION = 'The code can change types of the plugin, which only an export of the project shows';

/** Models of Strapi 3. */
const OLD = /(?:^|\/)api\/[^/]+\/models\/[^/]+\.settings\.json$/;
const CODE = /(?:^|\/)content-types\/[^/]+\/schema\.(?:js|ts|cjs|mjs)$/;
/** Types of a plugin that are written as code: a file, or a folder without a schema file. */
const CODE_OF_PLUGIN =
  /^(.*(?:^|\/)plugins\/[^/]+\/(?:server\/)?(?:src\/)?content-types\/(?!index\.)[^/.]+)(?:\/index)?\.(?:[cm]?js|ts)$/;
/** File that lists the types of a plugin, and can contain them. */
const LIST_OF_PLUGIN = /(?:^|\/)plugins\/[^/]+\/(?:server\/)?(?:src\/)?content-types\/index\.(?:[cm]?js|ts)$/;
/** Code that can change types of plugins. */
const CODE_OF_EXTENSION =
  /(?:^|\/)extensions\/[^/]+\/(?:strapi-server|(?:server\/)?content-types\/(?:[^/]+\/)?index)\.(?:[cm]?js|ts)$/;
/** Components as code. A monorepo can have components of pages at such paths, too. */
const CODE_OF_COMPONENT = /(?:^|\/)components\/[^/]+\/[^/]+\.(?:[cm]?js|ts)$/;

const OF_SYNC =
  'Locales, roles and layouts of the plugin config-sync are not read: an export of the project has them';
const SYNC = /^(?:.*\/)?config\/(?:env\/[^/]+\/)?sync(?=\/[^/]+\.json$)/;

/** Keys that every component and every type has. */
const OF_COMPONENT: readonly RegExp[] = [/\bcollectionName\b/, /\battributes\b/];
const OF_TYPE: readonly RegExp[] = [/\battributes\b/];

/** Files that need a remark if their text has the keys. */
const BY_TEXT: readonly (readonly [RegExp, readonly RegExp[], string])[] = [
  [LIST_OF_PLUGIN, OF_TYPE, OF_CODE],
  [CODE_OF_EXTENSION, OF_TYPE, OF_EXTENSION],
  [CODE_OF_COMPONENT, OF_COMPONENT, OF_CODE],
];

const isOld = ({ text }: Remark): boolean => text === OF_OLD;

/** Whether a project is one of Strapi 3, whose components have the paths of later ones. */
export const isOfStrapi3 = (schemas: readonly SourceSchema[], remarks: readonly Remark[]): boolean =>
  remarks.some(isOld) && !schemas.some(({ uid }) => uid.includes('::'));

/** Collects the files of a project that no later step can read. */
export class CodeOfSchemas {
  private readonly found: Remark[] = [];
  private readonly ofPlugins: string[] = [];
  private readonly synced = new Set<string>();

  async add(file: string, path: string): Promise<void> {
    if (OLD.test(file)) this.note(file, OF_OLD);
    if (CODE.test(file)) this.note(file, OF_CODE);
    if (CODE_OF_PLUGIN.test(file)) this.ofPlugins.push(file);
    const [folder] = SYNC.exec(file) ?? [];
    if (folder !== undefined && !this.synced.has(folder)) this.note(folder, OF_SYNC);
    if (folder !== undefined) this.synced.add(folder);
    for (const [pattern, keys, text] of BY_TEXT) {
      if (!pattern.test(file)) continue;
      const code = await readFile(path, 'utf8');
      if (keys.every((key) => key.test(code))) this.note(file, text);
    }
  }

  private note(file: string, text: string): void {
    this.found.push({ list: 'none', subject: file, file, text });
  }

  /** Returns the remarks, without those for types of plugins that have a schema file in addition. */
  remarks(schemas: readonly SourceSchema[]): readonly Remark[] {
    const folders = new Set(
      schemas.flatMap(({ file }) => [file.slice(0, file.lastIndexOf('/')), file.replace(/\.json$/, '')]),
    );
    for (const file of this.ofPlugins)
      if (!folders.has(CODE_OF_PLUGIN.exec(file)?.[1] ?? '')) this.note(file, OF_CODE);
    return this.found;
  }
}
