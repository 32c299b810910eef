/**
 * The only traces that hidden values may leave. Publishing a locale publishes the shared values in all locales,
 * hidden ones included (D20). If one of them differs, the versions of other locales change (D21). Their
 * `updatedAt`, `updatedBy` and tags, and their stored versions, then tell that they changed, never what.
 */
import type { Attribute } from './internals.ts';

interface Written {
  readonly type: {
    readonly localized: boolean;
    readonly draftAndPublish: boolean;
    readonly attributes: ReadonlyMap<string, Attribute>;
  };
  readonly method: string;
  readonly path: string;
}

type Json = Readonly<Record<string, unknown>>;

const TRACES = ['updatedAt', 'updatedBy'];
const DEFAULT_LOCALE = 'en';

/** List of the stored versions of a document. */
const VERSIONS = /\/(\w+)\/versions(?:\?|$)/;

const isShared = (attribute: Attribute): boolean =>
  attribute.hidden && !('localized' in attribute.def && attribute.def.localized === true);

export class OtherLocales {
  /** Locales that a write has published, by document. */
  private readonly published = new Map<string, Set<string>>();

  /** Notes a successful write. */
  note({ method, path, type }: Written): void {
    const [route = '', text = ''] = path.split('?');
    const query = new URLSearchParams(text);
    const [, documentId, action] = route.split('/');
    if (method !== 'PUT' || documentId === undefined || action !== undefined) return;
    if (!type.localized || !type.draftAndPublish || query.get('status') === 'draft') return;
    if (![...type.attributes.values()].some(isShared)) return;
    const locales = this.published.get(documentId) ?? new Set();
    this.published.set(documentId, locales.add(query.get('locale') ?? DEFAULT_LOCALE));
  }

  clear(): void {
    this.published.clear();
  }

  /** Returns a body without the traces; the body itself if it has none. */
  mask(body: string, path: string): string {
    if (this.published.size === 0 || !body.startsWith('{')) return body;
    const locales = this.published.get(VERSIONS.exec(path)?.[1] ?? '');
    // Versions of other locales move those of this one to other pages.
    if (locales !== undefined) return path.includes('pagination') ? '' : withoutOthers(body, locales);
    const isOrdered = /(filters|sort)\S*updatedBy/.test(decodeURIComponent(path));
    let found = false;
    const masked: unknown = JSON.parse(body, (_key, value: unknown) => {
      if (Array.isArray(value) && isOrdered) {
        const rest = value.filter((one) => !this.isOther(one));
        found ||= rest.length < value.length;
        return rest;
      }
      if (!this.isOther(value)) return value;
      found = true;
      return {
        ...value,
        ...Object.fromEntries(TRACES.filter((one) => one in value).map((one) => [one, '<then>'])),
      };
    });
    if (isOrdered)
      return JSON.stringify(masked, (key, value: unknown) => (key === 'pagination' ? null : value));
    return found ? JSON.stringify(masked) : body;
  }

  /** Whether a value is a version of a document of which another locale was published. */
  private isOther(value: unknown): value is Json {
    if (typeof value !== 'object' || value === null) return false;
    const { documentId, locale } = value as Json;
    const locales = this.published.get(String(documentId));
    return locales !== undefined && typeof locale === 'string' && isOtherThan(locales, locale);
  }
}

const isOtherThan = (published: ReadonlySet<string>, locale: string): boolean =>
  [...published].some((one) => one !== locale);

/** Returns a list of stored versions without those of other locales than the published one, and without counts. */
function withoutOthers(body: string, published: ReadonlySet<string>): string {
  const { data, ...rest } = JSON.parse(body) as Json;
  if (!Array.isArray(data)) return body;
  const own = (data as Json[]).filter(({ locale }) => !isOtherThan(published, String(locale)));
  return JSON.stringify({ ...rest, data: own, meta: null });
}
