/** Builds the lines of the library's own archive: one document with its versions and links. */
import { SHARED } from '../../content/model/join-model.js';
import type { Attribute, Column, LinkedAttribute, StoredLinks } from '../../content/model/model.js';
import { keyOf } from '../../content/plan/target-key.js';

import { convertValue, writtenValue } from './convert-value.js';
import { documentIdOf } from './document-ids.js';
import { wholePosition } from './positions.js';
import { Remarks } from './remark.js';
import type { SourceDocument, SourceLink, SourceRow } from './sort-rows.js';
import { instancesIn, type SourceTypes } from './source-types.js';
import type { StrapiObject } from './strapi-archive.js';
import { textOf } from './source-schema.js';

type Values = Record<string, unknown>;

export interface Building {
  readonly types: SourceTypes;
  readonly remarks: Remarks;
  readonly locales: readonly string[];
  readonly defaultLocale: string;
  /** Time for rows that have none. */
  readonly now: string;
  /** Returns a row id that no row of the source has. */
  readonly newId: (uid: string) => number;
  /** Adds values that the source does not have, such as those of files. */
  readonly complete: (uid: string, data: StrapiObject, documentId: string) => StrapiObject;
}

/** Version of a document here, made from a row of the source. */
interface Version {
  readonly row: SourceRow;
  readonly id: number;
  readonly published: boolean;
  readonly locale: string;
  readonly data: StrapiObject;
  /** Links of the row by attribute here, and of its instances by component, id and attribute. */
  readonly links: ReadonlyMap<string, readonly SourceLink[]>;
}

const placeOf = (uid: string, ref: number | string, name: string): string =>
  `${uid}\u0001${ref}\u0001${name}`;

const isInteger = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) > 0 && Number(value) <= 2_000_000_000;

const timeOf = (value: unknown, fallback: string): string => {
  const time =
    typeof value === 'string' || typeof value === 'number' ? new Date(value).getTime() : Number.NaN;
  return Number.isFinite(time) ? new Date(time).toISOString() : fallback;
};

/** Compares instances without their ids, which differ between versions of the same content. */
const withoutIds = (value: unknown): string =>
  JSON.stringify(value, (key, one: unknown) => (key === 'id' || key === 'documentId' ? undefined : one)) ??
  '';

export class DocumentBuilder {
  constructor(
    private readonly document: SourceDocument,
    private readonly building: Building,
  ) {}

  /** Returns the line of the document; null, with remarks, if no row of it can be stored. */
  line(): string | null {
    const versions = this.versions();
    if (versions.length === 0) return null;
    const { documentId, moved } = this.document;
    const rows = this.shared(versions.map((version) => [version, this.values(version)] as const));
    const links: Values = {};
    for (const stored of moved.archived.links) {
      const list = this.linksOf(stored, versions);
      if (list.length > 0) links[stored.attribute.name] = list;
    }
    return JSON.stringify({ documentId, versions: rows, links, schedule: null });
  }

  private say(list: 'changed' | 'none', [key, text]: readonly [string, string], row: SourceRow): void {
    const subject = this.document.moved.uid;
    this.building.remarks.add({ list, subject, ...(key === '' ? {} : { key }), text }, this.nameOf(row));
  }

  private nameOf({ id, given }: SourceRow): string {
    const { documentId } = this.document;
    return `${documentId} (row ${id}${given === '' ? '' : `, ${given}`})`;
  }

  /** Returns the rows that are stored: one per locale and state, with a draft for each published one. */
  private versions(): readonly Version[] {
    const { type } = this.document.moved.archived;
    const chosen = new Map<string, SourceRow>();
    const { defaultLocale } = this.building;
    const isBetter = (a: SourceRow, b: SourceRow): boolean =>
      (a.given === defaultLocale || a.given === '') && b.given !== defaultLocale && b.given !== '';
    for (const row of this.document.rows) {
      if (type.localized && !this.building.locales.includes(row.locale)) {
        this.say(
          'none',
          [row.locale, `The locale "${row.locale}" is not among the locales of the application`],
          row,
        );
        continue;
      }
      const published = row.published || !type.draftAndPublish;
      const key = `${row.locale} ${published ? 1 : 0}`;
      const other = chosen.get(key);
      const wins =
        other === undefined ||
        (row.published && !other.published) ||
        (row.published === other.published && isBetter(row, other));
      if (other !== undefined)
        this.say(
          'none',
          ['', 'Rows of the same state and locale as another row of the document'],
          wins ? other : row,
        );
      if (wins) chosen.set(key, row);
    }
    const versions: Version[] = [];
    for (const row of chosen.values()) {
      const published = row.published || !type.draftAndPublish;
      const id = isInteger(row.id) ? row.id : this.building.newId(this.document.moved.uid);
      const version = { row, id, published, locale: row.locale, ...this.content(row) };
      versions.push(version);
      if (type.draftAndPublish && published && !chosen.has(`${row.locale} 0`))
        versions.push({ ...version, published: false, id: this.building.newId(this.document.moved.uid) });
    }
    return versions;
  }

  private content(row: SourceRow): Pick<Version, 'data' | 'links'> {
    const { moved, documentId, taken } = this.document;
    const data = { ...this.building.complete(moved.uid, row.data, documentId) };
    for (const { row: id, attribute } of taken) if (id === row.id) data[attribute] = null;
    const links = new Map<string, SourceLink[]>();
    for (const link of this.document.links) {
      if (link.row !== row.id) continue;
      const attribute = this.building.types.attribute(link.ownerType, link.field);
      if (attribute === undefined) {
        this.say('none', [link.field, 'Links of an attribute that the model does not have'], row);
        continue;
      }
      const place = placeOf(link.ownerType, link.ownerRef, attribute.name);
      links.set(place, [...(links.get(place) ?? []), link]);
    }
    return { data, links };
  }

  /** Returns the links of an attribute in their order, each target once and of an allowed type. */
  private ordered(
    attribute: LinkedAttribute,
    links: readonly SourceLink[],
    row: SourceRow,
  ): readonly (SourceLink & { readonly key: string; readonly type: string })[] {
    const { types } = this.building;
    const sorted = [...links].sort(
      (a, b) => (a.position ?? Infinity) - (b.position ?? Infinity) || a.n - b.n || 0,
    );
    const found = new Map<string, SourceLink & { readonly key: string; readonly type: string }>();
    for (const link of sorted) {
      const type = types.typeOf(link.targetType);
      if (type === undefined || !attribute.targets.includes(type)) {
        this.say(
          'none',
          [link.field, `Links to ${link.targetType}, which the attribute does not allow`],
          row,
        );
        continue;
      }
      const key = keyOf(attribute, type, link.target);
      if (!found.has(key)) found.set(key, { ...link, key, type: type.singularApiId });
      else if (attribute.media)
        this.say('changed', [link.field, 'Links of the same file more than once: the first one stays'], row);
    }
    const list = [...found.values()];
    if (!attribute.many && list.length > 1)
      this.say(
        'none',
        [attribute.name, 'Further links of a relation to one document: the first one stays'],
        row,
      );
    return attribute.many ? list : list.slice(0, 1);
  }

  private linksIn(version: Version, attribute: LinkedAttribute): ReturnType<DocumentBuilder['ordered']> {
    const { uid } = this.document.moved;
    const links = version.links.get(placeOf(uid, version.row.id, attribute.name)) ?? [];
    return links.length === 0 ? [] : this.ordered(attribute, links, version.row);
  }

  private values(version: Version): Values {
    const { row, id, published, locale, data } = version;
    const created = timeOf(data['createdAt'], this.building.now);
    const updated = timeOf(data['updatedAt'], created);
    const time = (value: string): unknown => writtenValue('timestamptz(3)', value);
    const values: Values = {
      document_id: this.document.documentId,
      id,
      locale,
      published,
      created_at: time(created),
      updated_at: time(updated),
      published_at: published ? time(timeOf(data['publishedAt'], updated)) : null,
      revision: 0,
    };
    for (const column of this.document.moved.archived.columns)
      values[column.name] = this.column(column, version);
    this.sayUnknown(data, row);
    return values;
  }

  private column(column: Column, version: Version): unknown {
    const { attribute } = column;
    if (attribute.linked) return this.linkColumn(column, version, attribute);
    const given = this.given(attribute, version.data);
    if ('components' in attribute) return this.embedded(attribute, given, version);
    const { value, problem } = convertValue(attribute, given, !version.published);
    if (problem !== null)
      this.say(value === null ? 'none' : 'changed', [attribute.name, problem], version.row);
    return writtenValue(column.type, value);
  }

  /** Returns the value of an attribute in the source, or its default if the source has no such attribute. */
  private given({ name, def }: Attribute, data: StrapiObject): unknown {
    const { types } = this.building;
    const { uid } = this.document.moved;
    const source = types.nameInSource(uid, name);
    if (source in data) return data[source];
    const isKnown = types.source(uid)?.attributes[source] !== undefined;
    return isKnown || !('default' in def) ? null : def.default;
  }

  private linkColumn(column: Column, version: Version, attribute: LinkedAttribute): unknown {
    if (column.remembers !== null) return null;
    const [link] = this.linksIn(version, attribute);
    if (link === undefined) return null;
    if (column.placeOf === null) return link.target;
    return this.inverseOf(link);
  }

  private inverseOf({ inverse, n }: SourceLink): number {
    return inverse === null ? n : wholePosition(inverse);
  }

  private embedded(
    attribute: Attribute & { readonly many?: boolean },
    given: unknown,
    version: Version,
  ): unknown {
    const { uid } = this.document.moved;
    const list = this.instances(attribute, { uid, given }, version);
    if (list.length === 0) return null;
    return attribute.many === true ? list : list[0];
  }

  private instances(
    attribute: Attribute,
    { uid, given }: { readonly uid: string; readonly given: unknown },
    version: Version,
  ): readonly Values[] {
    if (!('components' in attribute)) return [];
    const { types } = this.building;
    const source = types.source(uid)?.attributes[types.nameInSource(uid, attribute.name)];
    if (source === undefined) return [];
    const seen = new Set<number>();
    return instancesIn(source, given).flatMap((one) => {
      const component = types.component(one.uid);
      if (component === undefined || !attribute.components.includes(component)) {
        this.say(
          'none',
          [attribute.name, `Instances of ${one.uid}, which the attribute does not allow`],
          version.row,
        );
        return [];
      }
      const id = isInteger(one.id) && !seen.has(one.id) ? one.id : this.building.newId('');
      if (!attribute.named) seen.add(id);
      const values: Values = { id, documentId: documentIdOf(one.uid, one.id) };
      if (attribute.named) values['__component'] = component.uid;
      for (const inner of component.attributes.values()) {
        if (inner.system) continue;
        const value = this.member(inner, one, version);
        if (value !== null && value !== undefined) values[inner.name] = value;
      }
      return [values];
    });
  }

  private member(
    attribute: Attribute,
    {
      uid,
      id,
      values,
    }: { readonly uid: string; readonly id: number | string; readonly values: StrapiObject },
    version: Version,
  ): unknown {
    const { types } = this.building;
    const given = values[types.nameInSource(uid, attribute.name)];
    if (attribute.linked) {
      const links = version.links.get(placeOf(uid, id, attribute.name)) ?? [];
      const keys = this.ordered(attribute, links, version.row).map(({ key }) => key);
      return attribute.many ? (keys.length === 0 ? null : keys) : keys[0];
    }
    if ('components' in attribute) {
      const list = this.instances(attribute, { uid, given }, version);
      if (list.length === 0) return null;
      return attribute.many === true ? list : list[0];
    }
    if (attribute.def.type === 'password') {
      if (textOf(given) !== '')
        this.say('none', [attribute.name, 'Passwords in components are not moved'], version.row);
      return null;
    }
    const { value, problem } = convertValue(attribute, given, !version.published);
    if (problem !== null)
      this.say(value === null ? 'none' : 'changed', [`${uid}.${attribute.name}`, problem], version.row);
    return value;
  }

  /** Gives all locales of a state the same shared values, and equal drafts the instances of the published one. */
  private shared(rows: readonly (readonly [Version, Values])[]): readonly Values[] {
    const { columns } = this.document.moved.archived;
    const { defaultLocale } = this.building;
    for (const published of [true, false]) {
      const own = rows.filter(([version]) => version.published === published);
      const [first] = [...own].sort(
        ([a], [b]) => Number(b.locale === defaultLocale) - Number(a.locale === defaultLocale),
      );
      if (first === undefined || own.length === 1) continue;
      for (const { attribute, name } of columns) {
        if (attribute.localized) continue;
        for (const [version, values] of own) {
          if (withoutIds(values[name]) !== withoutIds(first[1][name]))
            this.say(
              'changed',
              [
                attribute.name,
                'Values that differ from those of the default locale, in an attribute that all locales share',
              ],
              version.row,
            );
          values[name] = first[1][name];
        }
      }
    }
    for (const [version, values] of rows) {
      if (!version.published) continue;
      const draft = rows.find(([other]) => !other.published && other.locale === version.locale)?.[1];
      for (const { attribute, name } of columns)
        if (
          draft !== undefined &&
          'components' in attribute &&
          withoutIds(draft[name]) === withoutIds(values[name])
        )
          draft[name] = values[name];
    }
    return rows.map(([, values]) => values);
  }

  private linksOf({ attribute, table }: StoredLinks, versions: readonly Version[]): readonly Values[] {
    const sets = table.perLocale ? versions : this.sharedVersions(attribute, versions);
    return sets.flatMap((version) =>
      this.linksIn(version, attribute).map((link, index): Values => {
        const values: Values = {
          [table.published.name]: version.published,
          [table.locale.name]: table.perLocale ? version.locale : SHARED,
          [table.target.name]: link.target,
          [table.position.name]: index + 1,
        };
        if (table.targetType !== null) values[table.targetType.name] = link.type;
        if (table.inversePosition !== null) values[table.inversePosition.name] = this.inverseOf(link);
        return values;
      }),
    );
  }

  /** Returns one version per state for links that locales share: that of the default locale, else the first. */
  private sharedVersions(attribute: LinkedAttribute, versions: readonly Version[]): readonly Version[] {
    return [false, true].flatMap((published) => {
      const own = versions.filter((version) => version.published === published);
      const first = own.find(({ locale }) => locale === this.building.defaultLocale) ?? own[0];
      if (first === undefined) return [];
      const targets = (version: Version): string =>
        this.linksIn(version, attribute)
          .map(({ key }) => key)
          .join(' ');
      for (const other of own)
        if (other !== first && targets(other) !== targets(first))
          this.say(
            'changed',
            [
              attribute.name,
              'Links that differ from those of the default locale, in an attribute that all locales share',
            ],
            other.row,
          );
      return [first];
    });
  }

  private sayUnknown(data: StrapiObject, row: SourceRow): void {
    const { types } = this.building;
    const { uid } = this.document.moved;
    for (const name of Object.keys(types.source(uid)?.attributes ?? {})) {
      const value = data[name] ?? null;
      if (value === null || (Array.isArray(value) && value.length === 0)) continue;
      const attribute = types.attribute(uid, name);
      if (attribute === undefined)
        this.say('none', [name, 'Values of an attribute that the model does not have'], row);
      else if (attribute.def.type === 'password' && uid !== 'plugin::users-permissions.user')
        this.say('none', [name, 'Passwords outside of users are not moved'], row);
    }
  }
}
