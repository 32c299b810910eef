/** The paths below which this module answers; set when the application's global prefix is known. */
export class ContentRoutes {
  /** Path before every content route, with a leading slash and lower case; empty for none. */
  base = '';

  constructor(private readonly names: readonly string[]) {}

  /** Whether a lower-case path belongs to a content type. */
  owns(path: string): boolean {
    const [first = ''] = path.slice(this.base.length + 1).split('/');
    return this.names.includes(first);
  }
}

/** Injection token of {@link ContentRoutes}. */
export const CONTENT_ROUTES = Symbol('ContentRoutes');
