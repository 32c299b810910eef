/** Builds the lines of the library's own archive: one document with its versions and links. */
import { SHARED_LOCALE } from '../../content/model/join-model.js';
import type { Attribute, Column, LinkedAttribute, StoredLinks } from '../../content/model/model.js';

import { convertValue, indexable, instantOf, archiveValue } from './convert-value.js';
import { hasFormerAddress } from './former-addresses.js';
import { isKeptId } from './kept-ids.js';
import { REMARKS } from './document-remarks.js';
import { Instances, isSame } from './instances.js';
import { LinkLists } from './link-lists.js';
import { wholePosition } from './positions.js';
import type { SourceDocument, SourceLink, SourceRow } from './sorted-parts.js';
import { type Building, DocumentNotes, placeOf, type Version } from './version.js';
import type { StrapiObject } from './strapi-archive.js';
import { OF_BUILT_IN, ROLE_UID } from './names.js';
import { SYSTEM } from './source-schema.js';
import { isText } from '../../kernel/json.js';

type Values = Record<string, unknown>;

export class DocumentBuilder {
  private readonly notes: DocumentNotes;
  private readonly links: LinkLists;
  private readonly instances: Instances;

  constructor(
    private readonly document: SourceDocument,
    private readonly building: Building,
  ) {
    this.notes = new DocumentNotes(document, building.remarks);
    this.links = new LinkLists(document.moved.uid, building.types, this.notes);
    this.instances = new Instances(building, this.links, this.notes);
  }

  /** Returns the line of the document; null, with remarks, if no row of it can be stored. */
  line(): string | null {
    const versions = this.versions();
    if (versions.length === 0) return null;
    const { documentId, moved } = this.document;
    const rows = this.shareValues(versions.map((version) => [version, this.values(version)] as const));
    const links: Values = {};
    for (const stored of moved.archived.links) {
      const list = this.linksOf(stored, versions);
      if (list.length > 0) links[stored.attribute.name] = list;
    }
    return JSON.stringify({ documentId, versions: rows, links, schedule: null });
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
        const text = `The locale "${row.locale}" is not among those of the application: ${REMARKS.addLocale}`;
        this.notes.say('none', [row.locale, text], row);
        continue;
      }
      const published = row.published || !type.draftAndPublish;
      const key = `${row.locale} ${published ? 1 : 0}`;
      const other = chosen.get(key);
      const wins =
        other === undefined ||
        (row.published && !other.published) ||
        (row.published === other.published && isBetter(row, other));
      if (other !== undefined) this.notes.say('none', ['', REMARKS.secondRow], wins ? other : row);
      if (wins) chosen.set(key, row);
    }
    const versions: Version[] = [];
    for (const row of chosen.values()) {
      const published = row.published || !type.draftAndPublish;
      const id = this.idOf(row);
      const version = { row, id, published, locale: row.locale, ...this.content(row) };
      versions.push(version);
      if (type.draftAndPublish && published && !chosen.has(`${row.locale} 0`))
        versions.push(this.draftOf(version));
    }
    return versions;
  }

  private idOf(row: SourceRow): number {
    if (isKeptId(row.id) && !row.repeated) return row.id;
    this.notes.say('changed', ['id', REMARKS.newId], row);
    return this.building.newId(this.document.moved.uid);
  }

  /** Returns a draft equal to a published version, without links that another draft owns. */
  private draftOf(version: Version): Version {
    const { moved, barred } = this.document;
    const { row } = version;
    const isBarred = ({ ownerRef, field, target }: SourceLink): boolean =>
      ownerRef === row.id &&
      barred.some((one) => one.row === row.id && one.field === field && one.target === target);
    const links = [...version.links].map(([place, list]): [string, readonly SourceLink[]] => {
      const left = list.filter((link) => !isBarred(link));
      for (const { field } of left.length < list.length ? list : [])
        this.notes.say('changed', [field, REMARKS.ofOtherDraft], row);
      return [place, left];
    });
    if (isText(row.data['documentId'])) this.notes.say('changed', ['', REMARKS.noDraft], row);
    else this.building.remarks.add({ list: 'changed', subject: moved.uid, text: REMARKS.noDraft });
    return { ...version, published: false, id: this.building.newId(moved.uid), links: new Map(links) };
  }

  private content(row: SourceRow): Pick<Version, 'data' | 'links'> {
    const { moved, documentId, taken } = this.document;
    const data = { ...this.building.complete(moved.uid, row.data, documentId) };
    for (const { row: id, attribute } of taken)
      if (id === row.id) data[attribute] = moved.uid === ROLE_UID ? documentId : null;
    const links = new Map<string, SourceLink[]>();
    for (const link of this.document.links) {
      if (link.row !== row.id) continue;
      const attribute = this.building.types.attribute(link.ownerType, link.field);
      if (attribute === undefined) {
        this.notes.say('none', [link.field, REMARKS.unknownLink], row);
        continue;
      }
      const place = placeOf(link.ownerType, link.ownerRef, attribute.name);
      const linked = links.get(place);
      if (linked === undefined) links.set(place, [link]);
      else linked.push(link);
    }
    return { data, links };
  }

  private values(version: Version): Values {
    const { row, id, published, locale } = version;
    const created = this.timeOf('createdAt', version, this.building.now);
    const updated = this.timeOf('updatedAt', version, created);
    const time = (value: string): unknown => archiveValue('timestamptz(3)', value);
    const values: Values = {
      document_id: this.document.documentId,
      id,
      locale,
      published,
      created_at: time(created),
      updated_at: time(updated),
      published_at: published ? time(this.timeOf('publishedAt', version, updated)) : null,
      revision: 0,
    };
    for (const column of this.document.moved.archived.columns)
      values[column.name] = this.column(column, version);
    this.reportUnknownValues(row);
    return values;
  }

  private timeOf(name: string, { data, row }: Version, fallback: string): string {
    const sourceValue = data[name] ?? null;
    const time = instantOf(sourceValue);
    if (time === undefined && sourceValue !== null) this.notes.say('changed', [name, REMARKS.noTime], row);
    return time ?? fallback;
  }

  private column(column: Column, version: Version): unknown {
    const { attribute } = column;
    if (attribute.linked) return this.linkColumn(column, version, attribute);
    const given = this.given(attribute, version.data);
    if ('components' in attribute)
      return this.instances.stored(attribute, { uid: this.document.moved.uid, given }, version);
    const { uniques } = this.document.moved.archived.type.storage;
    const isIndexed = attribute.def.index === true || uniques.includes(attribute);
    const converted = convertValue(attribute, given, !version.published);
    const { value, problem } = isIndexed ? indexable(converted) : converted;
    if (problem !== null)
      this.notes.say(value === null ? 'none' : 'changed', [attribute.name, problem], version.row);
    if (hasFormerAddress(value, this.building.fileNames))
      this.notes.say('changed', [attribute.name, REMARKS.formerAddress], version.row);
    return archiveValue(column.type, value);
  }

  /** Returns the value of an attribute in the source, or its default if the source has no such attribute. */
  private given({ name, def }: Attribute, data: StrapiObject): unknown {
    const { types } = this.building;
    const { uid } = this.document.moved;
    const source = types.nameInSource(uid, name);
    if (Object.hasOwn(data, source)) return data[source];
    const isKnown = types.source(uid)?.attributes[source] !== undefined;
    return isKnown || !('default' in def) ? null : def.default;
  }

  private linkColumn(column: Column, version: Version, attribute: LinkedAttribute): unknown {
    if (column.remembers !== null) return null;
    const [link] = this.links.of(version, attribute);
    if (link === undefined) return null;
    if (column.placeOf === null) return link.target;
    return this.inverseOf(link);
  }

  private inverseOf({ inverse, n }: SourceLink): number {
    return inverse === null ? n : wholePosition(inverse);
  }

  /**
   * Gives all locales of a state the same shared values, and equal drafts the instances of the published one.
   */
  private shareValues(rows: readonly (readonly [Version, Values])[]): readonly Values[] {
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
          if (!isSame(attribute, values[name], first[1][name]))
            this.notes.say('changed', [attribute.name, REMARKS.differentValues], version.row);
          values[name] = first[1][name];
        }
      }
    }
    for (const [version, values] of rows) {
      if (!version.published) continue;
      const draft = rows.find(([other]) => !other.published && other.locale === version.locale)?.[1];
      for (const { attribute, name } of columns)
        if (draft !== undefined && 'components' in attribute && isSame(attribute, draft[name], values[name]))
          draft[name] = values[name];
    }
    return rows.map(([, values]) => values);
  }

  private linksOf({ attribute, table }: StoredLinks, versions: readonly Version[]): readonly Values[] {
    const sets = table.perLocale ? versions : this.sharedVersions(attribute, versions);
    return sets.flatMap((version) =>
      this.links.of(version, attribute).map((link, index): Values => {
        const values: Values = {
          [table.published.name]: version.published,
          [table.locale.name]: table.perLocale ? version.locale : SHARED_LOCALE,
          [table.target.name]: link.target,
          [table.position.name]: index + 1,
        };
        if (table.targetType !== null) values[table.targetType.name] = link.type;
        if (table.inversePosition !== null) values[table.inversePosition.name] = this.inverseOf(link);
        return values;
      }),
    );
  }

  /**
   * Returns one version per state for links that locales share: that of the default locale, else the first.
   */
  private sharedVersions(attribute: LinkedAttribute, versions: readonly Version[]): readonly Version[] {
    return [false, true].flatMap((published) => {
      const own = versions.filter((version) => version.published === published);
      const first = own.find(({ locale }) => locale === this.building.defaultLocale) ?? own[0];
      if (first === undefined) return [];
      const targets = (version: Version): string =>
        this.links
          .of(version, attribute)
          .map(({ key }) => key)
          .join(' ');
      for (const other of own)
        if (other !== first && targets(other) !== targets(first))
          this.notes.say('changed', [attribute.name, REMARKS.differentLinks], other.row);
      return [first];
    });
  }

  private reportUnknownValues(row: SourceRow): void {
    const { types } = this.building;
    const { uid } = this.document.moved;
    const known = [...SYSTEM, ...(OF_BUILT_IN.get(uid) ?? [])];
    for (const name of Object.keys(row.data).filter((one) => !known.includes(one))) {
      const value = row.data[name] ?? null;
      if (value === null || (Array.isArray(value) && value.length === 0)) continue;
      const attribute = types.attribute(uid, name);
      if (attribute === undefined) this.notes.say('none', [name, REMARKS.unknownValue], row);
      else if (attribute.def.type === 'password' && uid !== 'plugin::users-permissions.user')
        this.notes.say('none', [name, REMARKS.password], row);
    }
  }
}
