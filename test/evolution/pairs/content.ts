/** Content of a random model, written by requests. */
import type { Api } from '../run.ts';
import type { Dice } from './dice.ts';
import { type Member, type Part, partOf, type Sketch, type Type, typeOf } from './sketch.ts';

/** Counter for the next value. */
interface Count {
  value: number;
}

/** Context of written values. */
interface Writing {
  readonly sketch: Sketch;
  readonly dice: Dice;
  readonly count: Count;
  /** Documents of each type, by its key. */
  readonly documents: Map<string, string[]>;
  /** Marks texts that no public response may show. */
  readonly mark: string;
}

const WORDS = ['12', '-3', '7', 'alpha', 'beta', 'x', 'true', '2024-02-29'];

/** Returns a unique value if `n` is used, or one of few. */
const VALUES: Readonly<Record<string, (n: number, dice: Dice) => unknown>> = {
  string: (n, dice) => (dice.chance(60) ? dice.pick(WORDS) : `word ${n}`),
  text: (n, dice) => (dice.chance(10) ? 'long '.repeat(70) + String(n) : `text ${n}`),
  richtext: (n) => `**rich** ${n}`,
  integer: (n, dice) => dice.pick([0, 1, -5, n]),
  biginteger: (n, dice) => dice.pick(['9007199254740993', String(n)]),
  decimal: (n, dice) => dice.pick([n, 3.5, -0.25]),
  float: (n, dice) => dice.pick([n, 1.5, 1e21]),
  boolean: (_, dice) => dice.chance(50),
  date: (_, dice) => dice.pick(['2024-02-29', '1999-12-31']),
  datetime: (_, dice) => dice.pick(['2024-02-29T10:11:12.123Z', '2024-03-01T00:00:00.000Z']),
  time: (_, dice) => dice.pick(['10:11:12', '23:59:59.999']),
  timestamp: (_, dice) => dice.pick(['1709201472123', '1709251200000']),
  json: (n, dice) => dice.pick<unknown>([{ a: n }, [1, 'two'], `json ${n}`, 5, true]),
  array: (n) => [n, 'two'],
  enumeration: (_, dice) => dice.pick(['x', 'y', 'z']),
  email: (n) => `m${n}@example.com`,
  uid: (n) => `slug-${n}`,
  blocks: (n) => [{ type: 'paragraph', children: [{ type: 'text', text: `block ${n}` }] }],
};

const UNIQUE: Readonly<Record<string, (n: number) => unknown>> = {
  string: (n) => `unique ${n}`,
  integer: (n) => 1000 + n,
  biginteger: (n) => String(1000 + n),
  decimal: (n) => 1000 + n,
};

const TEXTS = ['string', 'text', 'richtext'];

function scalarValue({ shape, options }: Member, { dice, count, mark }: Writing): unknown {
  if (shape.kind !== 'scalar') return undefined;
  count.value += 1;
  const n = count.value;
  if (shape.type === 'password') return dice.chance(20) ? `SECRET ${n}` : undefined;
  if (options['required'] !== true && dice.chance(12)) return null;
  if (options['unique'] === true) return (UNIQUE[shape.type] ?? VALUES[shape.type])?.(n, dice);
  if (TEXTS.includes(shape.type) && options['private'] === true) return `SECRET ${n}`;
  if (TEXTS.includes(shape.type) && mark !== '') return `${mark} ${n}`;
  return VALUES[shape.type]?.(n, dice);
}

/** Returns references to some documents that a relation or polymorphic relation may target. */
function links({ shape }: Member, { sketch, dice, documents }: Writing): unknown {
  if (shape.kind === 'relation' || shape.kind === 'side') {
    const isMany = shape.relation.endsWith('Many');
    const ids = documents.get(shape.target) ?? [];
    return isMany ? dice.some(ids) : (dice.some(ids, 1)[0] ?? null);
  }
  if (shape.kind !== 'morph') return undefined;
  const all = shape.targets.flatMap((key) =>
    (documents.get(key) ?? []).map((documentId) => {
      const { name } = typeOf(sketch, key);
      return { documentId, __type: `api::${name}.${name}` };
    }),
  );
  return shape.relation === 'morphToMany' ? dice.some(all, 4) : (dice.some(all, 1)[0] ?? null);
}

function instance(part: Part, writing: Writing): object {
  const entries = part.members.map((member): [string, unknown] => [
    member.name,
    scalarValue(member, writing) ?? links(member, writing) ?? embedded(member, writing),
  ]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function embedded({ shape }: Member, writing: Writing): unknown {
  const { sketch, dice } = writing;
  if (shape.kind === 'component') {
    const part = partOf(sketch, shape.component);
    if (!shape.repeatable) return dice.chance(80) ? instance(part, writing) : null;
    return Array.from({ length: dice.below(3) }, () => instance(part, writing));
  }
  if (shape.kind !== 'zone') return undefined;
  return Array.from({ length: dice.below(4) }, () => {
    const part = partOf(sketch, dice.pick(shape.components));
    return { __component: part.name, ...instance(part, writing) };
  });
}

/** Returns values of some members, without the type's own relations. */
function valuesOf(members: readonly Member[], writing: Writing): object {
  const entries = members.map((member): [string, unknown] => [
    member.name,
    scalarValue(member, writing) ?? embedded(member, writing),
  ]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function linksOf(members: readonly Member[], writing: Writing): Record<string, unknown> {
  const entries = members.map((member): [string, unknown] => [member.name, links(member, writing)]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

const isLocalized = ({ options }: Member): boolean => options['localized'] === true;

const ownsLinks = ({ shape }: Member): boolean =>
  shape.kind === 'morph' || (shape.kind === 'relation' && shape.owns);

class Filling {
  private readonly path: string;
  private readonly api: Api;
  private readonly type: Type;
  private readonly writing: Writing;

  constructor(api: Api, type: Type, writing: Writing) {
    this.api = api;
    this.type = type;
    this.writing = writing;
    this.path = `/api/${type.isSingle ? type.name : type.plural}`;
  }

  private get documents(): string[] {
    return this.writing.documents.get(this.type.key) ?? [];
  }

  private put(i: number, query: string, data: object): Promise<unknown> {
    const path = this.type.isSingle ? this.path : `${this.path}/${this.documents[i] ?? ''}`;
    return this.api.send('PUT', path + query, data);
  }

  /** The last of several documents is an unpublished draft. */
  private isDraft(i: number): boolean {
    return this.type.drafts && !this.type.isSingle && i === 2;
  }

  async create(): Promise<void> {
    const { type, writing } = this;
    const ids: string[] = [];
    for (let i = 0; i < (type.isSingle ? 1 : 3); i += 1) {
      const draft = this.isDraft(i);
      const data = valuesOf(type.members, draft ? { ...writing, mark: 'DRAFT' } : writing);
      const query = draft ? '?status=draft' : '';
      const { documentId } = await this.api.send(type.isSingle ? 'PUT' : 'POST', this.path + query, data);
      ids.push(documentId as string);
    }
    writing.documents.set(type.key, ids);
  }

  async link(): Promise<void> {
    const { type, writing } = this;
    for (let i = 0; i < this.documents.length; i += 1) {
      const data = linksOf(type.members.filter(ownsLinks), writing);
      if (Object.keys(data).length > 0) await this.put(i, this.isDraft(i) ? '?status=draft' : '', data);
    }
  }

  /** Changes the order or the links on the other sides. */
  async linkBack(): Promise<void> {
    const { type, writing } = this;
    const inverse = type.members.filter(({ shape }) => shape.kind === 'relation' && !shape.owns);
    for (let i = 0; i < this.documents.length; i += 1)
      if (inverse.length > 0 && writing.dice.chance(50))
        await this.put(i, this.isDraft(i) ? '?status=draft' : '', linksOf(inverse, writing));
  }

  async translate(): Promise<void> {
    const { type, writing } = this;
    const others = writing.sketch.locales.filter((locale) => locale !== writing.sketch.defaultLocale);
    if (!type.localized) return;
    for (const locale of others)
      for (let i = 0; i < this.documents.length; i += 1) {
        if (writing.dice.chance(50)) continue;
        const members = type.members.filter(isLocalized);
        const data = { ...valuesOf(members, writing), ...linksOf(members.filter(ownsLinks), writing) };
        await this.put(i, `?locale=${locale}${this.isDraft(i) ? '&status=draft' : ''}`, data);
      }
  }

  /** Writes drafts that differ from the published versions. */
  async draft(): Promise<void> {
    const { type, writing } = this;
    if (!type.drafts || writing.dice.chance(30)) return;
    const marked = { ...writing, mark: 'DRAFT' };
    const members = type.members.filter(() => writing.dice.chance(60));
    const data = { ...valuesOf(members, marked), ...linksOf(members.filter(ownsLinks), marked) };
    await this.put(0, '?status=draft', data);
  }
}

/** Fills a database with documents of all types. */
export async function fill(sketch: Sketch, dice: Dice, api: Api): Promise<void> {
  const writing: Writing = { sketch, dice, count: { value: 0 }, documents: new Map(), mark: '' };
  const all = sketch.types.map((type) => new Filling(api, type, writing));
  for (const one of all) await one.create();
  for (const one of all) await one.link();
  for (const one of all) await one.translate();
  for (const one of all) await one.linkBack();
  for (const one of all) await one.draft();
}
