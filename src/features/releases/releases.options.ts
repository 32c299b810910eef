import { checkModuleOptions, integer, type OptionsOf } from '../../content/model/option-table.js';

/** Options of `ReleasesModule.forRoot`. */
export interface ReleasesOptions {
  /** Most entries of a release, from 1 to 1000. Default 200. */
  readonly maxEntries?: number;
}

export type ResolvedReleasesOptions = Required<ReleasesOptions>;

export const RELEASES_OPTIONS = Symbol('ReleasesOptions');

const OPTIONS: OptionsOf<ReleasesOptions> = { maxEntries: integer(1, 1000) };

/** Adds the defaults. Throws a ContentModelError for unknown options and wrong values. */
export function resolveReleasesOptions(options: ReleasesOptions): ResolvedReleasesOptions {
  checkModuleOptions('ReleasesModule', options, OPTIONS);
  return Object.freeze({ maxEntries: options.maxEntries ?? 200 });
}
