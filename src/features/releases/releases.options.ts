import { ContentModelError } from '../../content/model/content-model-error.js';

/** Options of `ReleasesModule.forRoot`. */
export interface ReleasesOptions {
  /** Most entries of a release, from 1 to 1000. Default 200. */
  readonly maxEntries?: number;
}

export type ResolvedReleasesOptions = Required<ReleasesOptions>;

export const RELEASES_OPTIONS = Symbol('ReleasesOptions');

const MOST = 1000;

/** Adds the defaults. Throws a ContentModelError for unknown options and wrong values. */
export function resolveReleasesOptions(options: ReleasesOptions): ResolvedReleasesOptions {
  const mistakes = Object.entries(options).flatMap(([name, value]: [string, unknown]) => {
    if (name !== 'maxEntries') return [`ReleasesModule: unknown option "${name}"`];
    const isWithin = Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MOST;
    return isWithin ? [] : [`ReleasesModule: "maxEntries" must be an integer from 1 to ${MOST}`];
  });
  if (mistakes.length > 0) throw new ContentModelError(mistakes, 'options');
  return Object.freeze({ maxEntries: 200, ...options });
}
