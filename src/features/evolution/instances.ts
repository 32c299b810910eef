/**
 * Conversion of component instances, by temporary SQL functions. There is one function per changed component
 * and per attribute with instances. If `keeps` is true, as for stored versions, they drop no value and set no
 * default.
 */
import type { Attribute, Component, ContentType, EmbeddedAttribute } from '../../content/model/model.js';
import { name } from '../../content/model/naming.js';
import { besideTable } from '../../content/model/table-shapes.js';
import { sentValue } from '../../content/model/value-context.js';
import { isScalar } from '../../content/model/scalar-of.js';
import { type Identifier, join, param, quote, type Sql, sql } from '../../kernel/sql.js';
import { acceptsAllTargets, acceptedLinks } from './embedded-links.js';
import { type Both, type Evolution, isBoth, type ModelPair, type Pair } from './pairs.js';
import { laterName } from './moved-links.js';
import { convertTo, needsNoConversion } from './readings.js';

import { isEmbedded } from '../../content/plan/stored-problems.js';

type ComponentPair = ModelPair<Component>;
type Embedded = Both<EmbeddedAttribute>;

/** Returns both attributes if they contain component instances, otherwise null. */
export const embeddedPair = ({ before, after }: Pair<Attribute>): Embedded | null =>
  before !== null && after !== null && isEmbedded(before) && isEmbedded(after) ? { before, after } : null;

/** Determines the components of a model whose instances need conversion, and builds the functions for it. */
export class Instances {
  /** Components whose stored format changes. */
  private readonly changed: ReadonlySet<Component>;
  private readonly names = new Map<string, Identifier>();

  constructor(private readonly evolution: Evolution) {
    const changed = new Set<Component>();
    const next = (): ComponentPair[] =>
      evolution.components.filter(
        (pair) =>
          isBoth(pair) &&
          !changed.has(pair.before) &&
          pair.attributes.some((one) => this.isMemberChange(one, changed)),
      );
    for (let found = next(); found.length > 0; found = next())
      for (const { before } of found) if (before !== null) changed.add(before);
    this.changed = changed;
  }

  isRewritten(pair: Pair<Attribute>): boolean {
    const nested = embeddedPair(pair);
    return nested !== null && this.holdsChange(nested, this.changed);
  }

  private holdsChange({ before, after }: Embedded, changed: ReadonlySet<Component>): boolean {
    const isOther = before.many !== after.many || before.named !== after.named;
    return (
      isOther ||
      before.components.some((component) => {
        const pair = this.pairOf(component);
        const stays = pair?.after !== null && after.components.some((one) => one === pair?.after);
        return changed.has(component) || !stays || (after.named && pair?.after?.uid !== component.uid);
      })
    );
  }

  private isMemberChange(pair: Pair<Attribute>, changed: ReadonlySet<Component>): boolean {
    const { before, after } = pair;
    if (before === null || after === null) return before !== null || defaultOf(pair) !== null;
    const nested = embeddedPair(pair);
    if (nested !== null && this.holdsChange(nested, changed)) return true;
    if (before.name !== after.name || defaultOf(pair) !== null) return true;
    return this.memberValue(pair, sql`null`) !== null;
  }

  private pairOf(component: Component): ComponentPair | undefined {
    return this.evolution.components.find(({ before }) => before === component);
  }

  /** Returns the statements that create and drop all functions. */
  functions(): { readonly made: readonly Sql[]; readonly dropped: readonly Sql[] } {
    const pairs = this.evolution.components.filter(
      (pair) => pair.before !== null && this.changed.has(pair.before),
    );
    const holders = [...this.evolution.types, ...this.evolution.components].flatMap((pair) =>
      pair.attributes.filter((one) => this.isRewritten(one)).map((one) => ({ pair, one })),
    );
    const instance = pairs.map((pair) => ({ name: this.instanceName(pair), body: this.instanceBody(pair) }));
    const value = holders.flatMap(({ pair, one }) => {
      const nested = embeddedPair(one);
      return nested === null ? [] : [{ name: this.valueName(pair, nested), body: this.valueBody(nested) }];
    });
    // PL/pgSQL resolves function names at run time, so the order of creation does not matter.
    const all = [...instance, ...value];
    return {
      made: all.map(
        ({ name: one, body }) =>
          sql`create or replace function ${quote(one)}(item jsonb, keeps boolean) returns jsonb language plpgsql
            as $content$ ${body} $content$`,
      ),
      dropped: all.map(({ name: one }) => sql`drop function if exists ${quote(one)}(jsonb, boolean)`),
    };
  }

  /** Returns a unique function name; different names may have the same form in snake case. */
  private functionName(key: string, ...words: readonly string[]): Identifier {
    const known = this.names.get(key);
    if (known !== undefined) return known;
    const { table } = this.evolution.after.schema.file;
    const taken = [...this.names.values()];
    const inSchema = (...more: readonly string[]): Identifier =>
      besideTable(table, name('content', ...words, ...more));
    let made = inSchema();
    for (let n = 2; taken.includes(made); n += 1) made = inSchema(String(n));
    this.names.set(key, made);
    return made;
  }

  private instanceName({ before }: Pair<Component>): Identifier {
    const uid = before?.uid ?? '';
    return this.functionName(`instance ${uid}`, 'instance', uid);
  }

  private valueName({ before, after }: Pair<ContentType | Component>, nested: Embedded): Identifier {
    const { model = '', uid = '' } = after ?? before ?? {};
    return this.functionName(`value ${model} ${uid} ${nested.after.name}`, 'value', uid, nested.after.name);
  }

  /**
   * Expression of an attribute's value in the format of the later model, with functions whose second argument
   * is `keeps`.
   */
  value(owner: Pair<ContentType | Component>, pair: Pair<Attribute>, args: Sql): Sql {
    const nested = embeddedPair(pair);
    return nested === null ? args : sql`${quote(this.valueName(owner, nested))}(${args})`;
  }

  /** Function body that converts each attribute of an instance. */
  private instanceBody(pair: ComponentPair): Sql {
    const steps = pair.attributes.flatMap((one) => this.memberSteps(pair, one));
    return sql`declare converted jsonb; begin ${join(steps, ' ')} return item; end`;
  }

  private memberSteps(owner: ComponentPair, pair: Pair<Attribute>): Sql[] {
    const { before, after } = pair;
    if (before === null || after === null)
      return before === null
        ? fillDefault(pair)
        : [sql`if not keeps then item := item - ${nameText(before)}; end if;`];
    const json = sql`(item -> ${nameText(before)})`;
    const value = this.memberValue(pair, json) ?? this.nestedValue(owner, pair, json);
    if (value === null && before.name === after.name) return fillDefault(pair);
    // Writes omit null values of instances, too: a list would show a stored null as an instance.
    const set = sql`if ${json} is not null then
      converted := ${value ?? json};
      item := item - ${nameText(before)};
      if jsonb_typeof(converted) <> 'null' then
        item := item || jsonb_build_object(${nameText(after)}, converted); end if; end if;`;
    return [set, ...fillDefault(pair)];
  }

  private nestedValue(owner: ComponentPair, pair: Pair<Attribute>, json: Sql): Sql | null {
    return this.isRewritten(pair) ? this.value(owner, pair, sql`${json}, keeps`) : null;
  }

  /** Expression of a converted scalar or relation in an instance; null if its format stays. */
  private memberValue(pair: Pair<Attribute>, json: Sql): Sql | null {
    const { before, after } = pair;
    if (before === null || after === null) return null;
    if (isScalar(before) && isScalar(after)) {
      const scalars = { before, after };
      return needsNoConversion(scalars)
        ? null
        : sql`case when jsonb_typeof(${json}) = 'null' then ${json}
            else coalesce(${convertTo(json, scalars)}, case when keeps then ${json} else 'null' end) end`;
    }
    if (!before.linked || !after.linked) return null;
    const links = { evolution: this.evolution, before, after };
    if (before.named !== after.named || !acceptsAllTargets(links)) return acceptedLinks(links, json);
    return this.linkedMember({ before, after }, json);
  }

  private linkedMember(
    { before, after }: Both<Attribute & { readonly linked: true }>,
    json: Sql,
  ): Sql | null {
    const renamed = before.named
      ? before.targets.filter((type) => laterName(this.evolution, type) !== type.singularApiId)
      : [];
    const named = renamed.reduce(
      (value, type) =>
        sql`regexp_replace(${value}, ${param(`"${type.singularApiId}:`)},
          ${param(`"${laterName(this.evolution, type)}:`)}, 'g')`,
      sql`${json}::text`,
    );
    const value = renamed.length === 0 ? json : sql`(${named})::jsonb`;
    if (before.many === after.many) return renamed.length === 0 ? null : value;
    if (after.many)
      return sql`case when jsonb_typeof(${json}) = 'null' then '[]'::jsonb else jsonb_build_array(${value}) end`;
    return sql`coalesce(${value} -> 0, 'null')`;
  }

  /** Function body that converts the instances of an attribute, a single one or a list. */
  private valueBody({ before, after }: Embedded): Sql {
    const branches = before.components.map((component) => {
      const condition = before.named ? sql`one ->> '__component' = ${param(component.uid)}` : sql`true`;
      const later = this.pairOf(component)?.after ?? null;
      const stays = later !== null && after.components.some((other) => other === later);
      const dropped = after.named
        ? sql`if keeps then found := found || jsonb_build_array(one); end if;`
        : sql`null;`;
      const step = stays ? this.keepInstance(component, later, { before, after }) : dropped;
      return sql`if ${condition} then ${step} end if;`;
    });
    // Instances of components that neither model knows stay unchanged; responses do not show them.
    if (before.named && after.named) {
      const known = before.components.map(({ uid }) => sql`${param(uid)}`);
      const unknown = sql`coalesce(one ->> '__component', '') not in (${join(known, ', ')})`;
      branches.push(sql`if ${unknown} then found := found || jsonb_build_array(one); end if;`);
    }
    const single = sql`case when keeps and jsonb_array_length(found) > 1 then found else found -> 0 end`;
    const result = after.many ? sql`found` : single;
    return sql`declare one jsonb; found jsonb := '[]'; begin
      if item is null or jsonb_typeof(item) = 'null' then return null; end if;
      for one in select e from jsonb_array_elements(
        case jsonb_typeof(item) when 'array' then item else jsonb_build_array(item) end) e loop
        ${join(branches, ' ')}
      end loop;
      return ${result};
    end`;
  }

  private keepInstance(component: Component, later: Component, { before, after }: Embedded): Sql {
    const pair = this.pairOf(component);
    const rewritten =
      pair !== undefined && this.changed.has(component)
        ? sql`${quote(this.instanceName(pair))}(one, keeps)`
        : sql`one`;
    const bare = before.named && !after.named ? sql`(${rewritten} - '__component')` : rewritten;
    const named = after.named
      ? sql`(${bare} || jsonb_build_object('__component', ${param(later.uid)}::text))`
      : bare;
    return sql`found := found || jsonb_build_array(${named});`;
  }
}

const nameText = (attribute: Attribute): Sql => sql`${param(attribute.name)}::text`;

/**
 * Returns the default to set if an attribute has become required and a stored value is missing; null for
 * none.
 */
export function defaultOf({ before, after }: Pair<Attribute>): unknown {
  if (after === null || !isScalar(after) || !after.required) return null;
  const { def, type, name: key } = after;
  if (def.default === undefined || def.default === null || before?.required === true) return null;
  return type.castValue(def.default, def, sentValue({ path: [key], draft: true, issues: [] })) ?? null;
}

function fillDefault(pair: Pair<Attribute>): Sql[] {
  const value = defaultOf(pair);
  if (value === null || pair.after === null) return [];
  const key = nameText(pair.after);
  return [
    sql`if not keeps and coalesce(jsonb_typeof(item -> ${key}), 'null') = 'null' then
      item := item || jsonb_build_object(${key}, ${param(JSON.stringify(value))}::jsonb); end if;`,
  ];
}
