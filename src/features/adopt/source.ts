/** Source of a move: a project folder, an archive, or a server. */
import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AdoptError } from './adopt-error.js';
import { withPrivate } from './private-everywhere.js';
import { type ProjectSchemas, readProject } from './project-schemas.js';
import { fetchProject } from './rest-source.js';
import type { Remark } from './remark.js';
import { isOfStrapi3 } from './schemas-in-code.js';
import { localizedOption, type SourceSchema } from './source-schema.js';
import { readStrapiArchive, type StrapiArchive } from './strapi-archive.js';
import { type Survey, surveyOf } from './survey.js';

/** Content of a source. */
interface SourceContent {
  readonly archive: StrapiArchive;
  readonly survey: Survey;
}

export interface Source {
  readonly location: string;
  /** Changes with the source. */
  readonly digest: string;
  readonly schemas: readonly SourceSchema[];
  readonly remarks: readonly Remark[];
  /** Null for a project folder, which has schemas only. */
  readonly content: SourceContent | null;
  /** A type of the source has locales. */
  readonly isLocalized: boolean;
}

export interface SourceOptions {
  /** Key of an encrypted archive. */
  readonly key?: string | undefined;
  /** API token with full access, for a URL. */
  readonly token?: string | undefined;
  /** Folder of the project: for its private attributes, and for a URL that does not show its schemas. */
  readonly project?: string | undefined;
  /** Folder of temporary files. */
  readonly work: string;
  readonly say: (line: string) => void;
}

/** Entries of an unpacked archive besides its entities, which it may lack after incomplete copies. */
const PARTS: readonly string[] = ['schemas', 'metadata.json', 'links'];

async function isUnpacked(directory: string): Promise<boolean> {
  const entries = await readdir(directory);
  return entries.includes('entities') && PARTS.some((part) => entries.includes(part));
}

/** Maximum number of files that the message about a project without schemas names. */
const MAX_REASONS = 5;

const hasLocales = (schemas: readonly SourceSchema[]): boolean =>
  schemas.some(({ schema }) => localizedOption(schema['pluginOptions']));

async function projectSource(location: string): Promise<Source> {
  const { schemas, remarks } = await readProject(location);
  if (schemas.length === 0 || isOfStrapi3(schemas, remarks)) {
    const reasons = remarks.slice(0, MAX_REASONS).map(({ file = '', text }) => `\n  ${file}: ${text}`);
    throw new AdoptError(
      `${location} contains no schema of Strapi 4 or 5 that can be read:${reasons.join('')}`,
    );
  }
  return { location, digest: location, schemas, remarks, content: null, isLocalized: hasLocales(schemas) };
}

const NO_PROJECT: ProjectSchemas = { schemas: [], remarks: [], privateNames: [] };

/** Reads the project of the option; nothing without one. */
const namedProject = async ({ project }: SourceOptions): Promise<ProjectSchemas> =>
  project === undefined ? NO_PROJECT : readProject(project);

async function archiveSource(
  location: string,
  { key }: Pick<SourceOptions, 'key'>,
  project: Pick<ProjectSchemas, 'privateNames' | 'remarks'>,
): Promise<Source> {
  const archive = readStrapiArchive(location, key === undefined ? {} : { key });
  const survey = await surveyOf(archive);
  if (survey.schemas.length === 0 && survey.rows.size === 0)
    throw new AdoptError(`${location} is not an export of Strapi: it contains neither schemas nor entities`);
  if (survey.schemas.length === 0)
    throw new AdoptError(`${location} contains entities, but no schemas: copy it or export it again`);
  const { size, mtimeMs } = await stat(location);
  const digest = createHash('sha256').update(`${location} ${size} ${mtimeMs}`).digest('hex');
  const schemas = withPrivate(survey.schemas, project.privateNames);
  const content = { archive, survey };
  const remarks = [...project.remarks, ...survey.remarks];
  return { location, digest, schemas, remarks, content, isLocalized: hasLocales(schemas) };
}

const URL_START = /^https?:\/\//;

/** Fetches a project over REST, and opens the folder of its rows. */
async function serverSource(location: string, options: SourceOptions): Promise<Source> {
  const { token, work, say } = options;
  const url = location.replace(/\/+(api\/?)?$/, '');
  const digest = createHash('sha256').update(url).digest('hex').slice(0, 16);
  const project = await namedProject(options);
  const { schemas } = project;
  const folder = await fetchProject({ url, token, schemas, say, folder: join(work, `rest-${digest}`) });
  const source = await archiveSource(folder, {}, project);
  return { ...source, location };
}

/** Opens a source. Throws an AdoptError if there is none, or if it cannot be read. */
export async function openSource(location: string, options: SourceOptions): Promise<Source> {
  if (URL_START.test(location)) return serverSource(location, options);
  const found = await stat(location).catch(() => null);
  if (found === null) throw new AdoptError(`Not found: ${location}`);
  const isProject = found.isDirectory() && !(await isUnpacked(location));
  if (isProject) return projectSource(location);
  return archiveSource(location, options, await namedProject(options));
}
