import { ContentModelError } from '../../content/model/content-model-error.js';
import { trimSlashes } from '../../kernel/settings.js';

/** Options of `DeskModule.forRoot`. */
export interface DeskOptions {
  /** Path of the desk below the global prefix of the application. Default `/desk`. */
  readonly path?: string;
}

/** Path of the desk without slashes at its ends. */
export interface ResolvedDeskOptions {
  readonly path: string;
}

export const DESK_OPTIONS = Symbol('DeskOptions');

const PATH = /^[\w-]+(\/[\w-]+)*$/;

/** Returns the options with defaults. Throws a ContentModelError for unknown ones and an invalid path. */
export function resolveDeskOptions({ path = '/desk', ...rest }: DeskOptions): ResolvedDeskOptions {
  const mistakes = Object.keys(rest).map((key) => `desk: unknown option "${key}"; available: path`);
  const trimmed = typeof path === 'string' ? trimSlashes(path) : '';
  if (!PATH.test(trimmed))
    mistakes.push('desk.path: expected a path of letters, digits, dashes and underscores, such as "/desk"');
  if (mistakes.length > 0) throw new ContentModelError(mistakes, 'options');
  return { path: trimmed };
}
