/** Checks that documents under a later model are those of the earlier one: the same values, once each. */
import { PairFailure } from './failure.ts';
import {
  type Documents,
  type Dump,
  type Instance,
  isInverse,
  linksFor,
  type Request,
  type Values,
  versionOf,
} from './content-reader.ts';
import { allMembers, type Member, type Part, type Sketch, type Type } from './sketch.ts';

/** Two models, and the content shown under each. */
export interface Seen {
  readonly before: Sketch;
  readonly after: Sketch;
  readonly was: Dump;
  readonly is: Dump;
  /** Members that may have a default instead of no value. */
  readonly filled: ReadonlySet<string>;
}

/** Path of a document's values, before and after. */
interface Place {
  readonly at: string;
  readonly from: Request;
  readonly to: Request;
}

const json = (value: unknown): string => JSON.stringify(value) ?? 'undefined';

function fail(place: string, was: unknown, is: unknown): never {
  throw new PairFailure('lost', `${place}\n    was ${json(was)}\n    is  ${json(is)}`);
}

/** Types that convert to each other without a change of text. */
const TEXTUAL = [
  ...['string', 'text', 'richtext', 'email', 'uid', 'enumeration', 'integer', 'biginteger', 'decimal'],
];
const DAYS = ['date', 'datetime'];

const typeOfScalar = ({ shape }: Member): string => (shape.kind === 'scalar' ? shape.type : '');
const isHidden = ({ options }: Member): boolean => options['private'] === true;

/** Whether a definition allows converted values to differ. */
const isLoose = ({ options }: Member): boolean => options['convert'] !== undefined;

/** Compares the members of a document or an instance. */
class Comparison {
  private readonly seen: Seen;
  private readonly looseLinks: ReadonlySet<string>;

  constructor(seen: Seen) {
    this.seen = seen;
    const members = allMembers(seen.after).map(({ member }) => member);
    const loose = new Set(members.filter(isLoose).map(({ key }) => key));
    for (const { key, shape } of [...members, ...allMembers(seen.before).map(({ member }) => member)]) {
      const other = shape.kind === 'relation' ? shape.other : shape.kind === 'side' ? shape.by : null;
      if (other !== null && loose.has(other)) loose.add(key);
      if (other !== null && loose.has(key)) loose.add(other);
    }
    this.looseLinks = loose;
  }

  values(owners: readonly [Part, Part], [was, is]: readonly [Values, Values], place: Place): void {
    const [old, next] = owners;
    for (const before of old.members) {
      const after = next.members.find(({ key }) => key === before.key);
      if (after !== undefined) this.member([before, after], [was, is], place);
    }
  }

  private member(
    [before, after]: readonly [Member, Member],
    [was, is]: readonly [Values, Values],
    place: Place,
  ): void {
    const { key } = before;
    const here = { ...place, at: `${place.at}.${before.name}` };
    if (before.shape.kind === 'scalar')
      return this.scalar([before, after], [was[key] ?? null, is[key] ?? null], here);
    if (before.shape.kind === 'component' || before.shape.kind === 'zone') {
      this.instances([before, after], [was[key] as Instance[], is[key] as Instance[]], here);
      return this.hidden([was[`${key} hidden`], is[`${key} hidden`]], here);
    }
    const asked = isInverse(before) ? was[linksFor(key, place.to)] : undefined;
    const links = [asked ?? was[key], is[key]] as string[][];
    this.links([before, after], links, asked === undefined ? here : { ...here, from: place.to });
  }

  private scalar(
    [before, after]: readonly [Member, Member],
    [was, is]: readonly unknown[],
    { at }: Place,
  ): void {
    if (after.shape.kind !== 'scalar' || isLoose(after)) return;
    if (was === null && (this.seen.filled.has(after.key) || is === null)) return;
    if (isHidden(before) !== isHidden(after)) return;
    const [old, next] = [typeOfScalar(before), typeOfScalar(after)];
    const isSame = (): boolean => {
      if (old === next) return json(was) === json(is);
      if (TEXTUAL.includes(old) && TEXTUAL.includes(next)) return String(was) === String(is);
      if (DAYS.includes(old) && DAYS.includes(next))
        return String(was).slice(0, 10) === String(is).slice(0, 10);
      return (was === null) === (is === null);
    };
    if (!isSame()) fail(`${at} (${old} → ${next})`, was, is);
  }

  private hidden([was, is]: readonly unknown[], { at }: Place): void {
    const [old, next] = [was, is].map((one) => (one ?? {}) as Values);
    for (const [path, value] of Object.entries(old ?? {})) {
      const key = path.split(' ')[1] ?? '';
      const [before, after] = [this.seen.before, this.seen.after].map(
        (sketch) => allMembers(sketch).find(({ member }) => member.key === key)?.member,
      );
      if (before !== undefined && after !== undefined && path in (next ?? {}))
        this.scalar([before, after], [value, next?.[path] ?? null], { at: `${at} ${path}` } as Place);
    }
  }

  private isVisible(
    sketch: Sketch,
    [dump, link]: readonly [Dump, string],
    { status, locale }: Place['to'],
  ): boolean {
    const [key = '', id = ''] = link.split(' ');
    const type = sketch.types.find((one) => one.key === key);
    if (type === undefined) return false;
    const version = {
      type: key,
      status: type.drafts ? status : ('published' as const),
      locale: type.localized ? locale : sketch.defaultLocale,
    };
    return versionOf(dump, version)?.has(id) === true;
  }

  /**
   * Returns whether no earlier request shows the current links of an inverse side. An inverse side shows the
   * links in the state and locale of the request (D13, D25). The comparison uses the earlier response in the
   * same state and locale, which may be missing. Either the drafts of the owners are deleted, or the
   * document did not have the locale of the links.
   */
  private showsOther(member: Member, { from, to }: Place): boolean {
    const { shape } = member;
    if (!isInverse(member) || (shape.kind !== 'relation' && shape.kind !== 'side')) return false;
    const [old, next] = [this.seen.before, this.seen.after].map(({ types }) =>
      types.find(({ key }) => key === shape.target),
    );
    if (to.status === 'draft' && old?.drafts === true && next?.drafts === false) return true;
    const owning = shape.kind === 'relation' ? shape.other : shape.by;
    const owner = old?.members.find(({ key }) => key === owning);
    return owner?.options['localized'] === true && from.locale !== to.locale;
  }

  private links(
    [before, after]: readonly [Member, Member],
    [was, is]: readonly string[][],
    place: Place,
  ): void {
    if (new Set(is).size !== (is ?? []).length) throw new PairFailure('doubled', `${place.at}: ${json(is)}`);
    if (this.looseLinks.has(after.key) || this.looseLinks.has(before.key)) return;
    if (this.showsOther(before, place)) return;
    const expected = (was ?? []).filter((one) =>
      this.isVisible(this.seen.after, [this.seen.is, one], place.to),
    );
    const found = (is ?? []).filter((one) =>
      this.isVisible(this.seen.before, [this.seen.was, one], place.from),
    );
    if (json(expected) !== json(found)) fail(place.at, expected, found);
  }

  private instances(
    [, after]: readonly [Member, Member],
    [was = [], is = []]: readonly (Instance[] | undefined)[],
    place: Place,
  ): void {
    const { shape } = after;
    if (was.length === 0 && this.seen.filled.has(after.key)) return;
    const kept = was.filter(({ part }) =>
      shape.kind === 'component'
        ? shape.component === part
        : shape.kind === 'zone' && shape.components.includes(part),
    );
    const isCut = isLoose(after) && shape.kind === 'component' && !shape.repeatable;
    const expected = isCut ? kept.slice(0, 1) : kept;
    const ids = (list: readonly Instance[]): unknown => list.map(({ id, part }) => [id, part]);
    if (json(ids(expected)) !== json(ids(is))) fail(place.at, ids(expected), ids(is));
    expected.forEach((instance, i) => {
      const [old, next] = [this.seen.before, this.seen.after].map((sketch) =>
        sketch.parts.find(({ key }) => key === instance.part),
      );
      const later = is[i];
      if (old === undefined || next === undefined || later === undefined) return;
      this.values([old, next], [instance.values, later.values], { ...place, at: `${place.at}[${i}]` });
    });
  }
}

/** Returns the remaining locale of each document of a type that is not localized any more. */
function keptLocales({ before, was, after }: Seen, old: Type): ReadonlyMap<string, string> {
  const next = after.types.find(({ key }) => key === old.key);
  const found = new Map<string, string[]>();
  for (const { type, status, locale, documents } of was)
    if (type === old.key && (next?.drafts === true || status === 'published'))
      for (const id of documents.keys()) found.set(id, [...(found.get(id) ?? []), locale]);
  return new Map(
    [...found].map(([id, locales]) => [
      id,
      locales.includes(before.defaultLocale) ? before.defaultLocale : (locales.sort()[0] ?? ''),
    ]),
  );
}

/** An expected document, and its former place. */
interface Expected {
  readonly values: Values;
  readonly from: Place['from'];
}

function expectedIn(seen: Seen, [old, next]: readonly [Type, Type], to: Place['to']): Map<string, Expected> {
  const { before, after, was } = seen;
  const status = next.drafts && old.drafts ? to.status : 'published';
  const documentsIn = (locale: string): Documents =>
    versionOf(was, { type: old.key, status, locale }) ?? new Map<string, Values>();
  const all = (locale: string): Map<string, Expected> =>
    new Map([...documentsIn(locale)].map(([id, values]) => [id, { values, from: { status, locale } }]));
  if (old.localized && next.localized) return all(to.locale);
  if (!old.localized)
    return next.localized && to.locale !== after.defaultLocale ? new Map() : all(before.defaultLocale);
  return new Map(
    [...keptLocales(seen, old)].flatMap(([id, locale]): [string, Expected][] => {
      const found = all(locale).get(id);
      return found === undefined ? [] : [[id, found]];
    }),
  );
}

/** Throws a {@link PairFailure} for lost, doubled or changed values. */
export function compare(seen: Seen): void {
  const comparison = new Comparison(seen);
  for (const { type: key, status, locale, documents } of seen.is) {
    const next = seen.after.types.find((type) => type.key === key);
    const old = seen.before.types.find((type) => type.key === key);
    if (next === undefined) continue;
    const to = { status, locale };
    const expected = old === undefined ? new Map<string, Expected>() : expectedIn(seen, [old, next], to);
    const at = `${next.name} (${locale}, ${status})`;
    const lost = [...expected.keys()].filter((id) => !documents.has(id));
    const more = [...documents.keys()].filter((id) => !expected.has(id));
    if (lost.length > 0) throw new PairFailure('lost', `${at} lacks ${json(lost)}`);
    if (more.length > 0) throw new PairFailure('doubled', `${at} has ${json(more)}, too`);
    for (const [id, { values, from }] of expected) {
      const is = documents.get(id);
      if (old === undefined || is === undefined) continue;
      const place = { at: `${at} ${id}`, from, to };
      comparison.values([old, next], [values, is], place);
      for (const time of from.status === status ? ['@created', '@updated', '@published'] : [])
        if (values[time] !== is[time]) fail(`${place.at} ${time}`, values[time], is[time]);
    }
  }
}
