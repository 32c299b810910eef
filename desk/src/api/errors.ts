/** Problem of one value in a request body. */
export interface Problem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export interface ErrorBody {
  readonly name?: string;
  readonly message?: string;
  readonly details?: {
    readonly errors?: readonly Problem[];
    /** Path of the only problem; with dots for a key that the body must not have. Null for none. */
    readonly path?: Problem['path'] | string | null;
    /** Locale of a document whose other locales are valid. */
    readonly locale?: string;
  };
}

/** Response of the server that reports an error. */
export class ApiError extends Error {
  readonly problems: readonly Problem[];
  readonly locale: string | null;

  constructor(
    readonly status: number,
    { name = 'Error', message = `The server responded with ${status}`, details = {} }: ErrorBody,
  ) {
    super(message);
    this.name = name;
    this.locale = details.locale ?? null;
    const { errors, path = null } = details;
    const segments = typeof path === 'string' ? path.split('.') : path;
    this.problems = errors ?? (segments === null ? [] : [{ path: segments, message }]);
  }
}

/** The server was not reached, or its response was lost, so that the outcome of a write is unknown. */
export class OfflineError extends Error {
  override readonly name = 'OfflineError';

  constructor(cause: unknown) {
    super('The server cannot be reached', { cause });
  }
}

export const errorOf = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

export const messageOf = (error: unknown): string => errorOf(error).message;

/** Whether a request is sent again, with its key: its outcome is unknown. Proxies use further statuses. */
const isRepeated = (status: number): boolean => [408, 409, 429].includes(status) || status >= 502;

export const isTemporary = (error: unknown): error is Error =>
  error instanceof OfflineError || (error instanceof ApiError && isRepeated(error.status));

/** Resolves with whether a document existed that was to be changed: another editor may have deleted it. */
export async function unlessGone(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false;
    throw error;
  }
}

/** Whether an equal request may succeed later: after a sign-in, or when the server can be reached again. */
export const isPassing = (error: unknown): boolean =>
  isTemporary(error) || (error instanceof ApiError && (error.status === 401 || error.status >= 500));
