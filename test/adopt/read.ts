/** Reads everything that an adopted application answers, with documents and files named by their marks. */
import {
  componentOf,
  FILE,
  isStrange,
  type SourceAttribute,
  type SourceAttributes,
  type SourceModel,
  type SourceType,
  USER,
} from './generator/source.ts';
import type { Answer, Moment, Shown } from './generator/expected.ts';

type Json = Readonly<Record<string, unknown>>;

export interface Found extends Answer {
  readonly documentId: string;
  readonly locale: string;
}

const listOf = (value: unknown): readonly Json[] => [value ?? []].flat() as Json[];

/** Attribute that names the documents of a target. */
const markOf = (uid: string): string => ({ [USER]: 'username', [FILE]: 'name' })[uid] ?? 'mark';

function populate(model: SourceModel, attributes: SourceAttributes, at: string): string[] {
  return Object.entries(attributes).flatMap(([name, attribute]): string[] => {
    const here = `${at}[${name}]`;
    const { type, target, component, components } = attribute;
    if (isStrange(attribute)) return [];
    if (type === 'media') return [`${here}[fields][0]=name`];
    if (type === 'relation')
      return [typeof target === 'string' ? `${here}[fields][0]=${markOf(target)}` : `${here}=true`];
    if (type === 'component') return inside(model, String(component), here);
    if (type !== 'dynamiczone') return [];
    return (components as readonly string[]).flatMap((uid) => inside(model, uid, `${here}[on][${uid}]`));
  });
}

function inside(model: SourceModel, uid: string, at: string): string[] {
  const deeper = populate(model, componentOf(model, uid).attributes, `${at}[populate]`);
  return deeper.length === 0 ? [`${at}=true`] : deeper;
}

/** Names of types here, and their uids in the source by the names here. */
export interface TypeNames {
  readonly of: (type: SourceType) => { readonly name: string; readonly plural: string };
  readonly uidOf: (called: string) => string;
}

function linksIn(value: unknown, { target, morphBy }: SourceAttribute, names: TypeNames): string[] {
  const links = listOf(value).map((one) => {
    const uid = typeof target === 'string' ? target : names.uidOf(String(one['__type']));
    return `${uid} ${String(one[markOf(uid)])}`;
  });
  return morphBy === undefined ? links : links.toSorted();
}

interface Place {
  readonly model: SourceModel;
  readonly names: TypeNames;
}

function valuesIn(place: Place, attributes: SourceAttributes, json: Json): Shown {
  const entries = Object.entries(attributes).flatMap(([name, attribute]): [string, unknown][] => {
    const { type, component } = attribute;
    const value = json[name];
    if (isStrange(attribute)) return [];
    if (type === 'password') return value === undefined ? [] : [[name, value]];
    if (type === 'relation') return [[name, linksIn(value, attribute, place.names)]];
    if (type === 'media') return [[name, listOf(value).map((one) => one['name'])]];
    if (type !== 'component' && type !== 'dynamiczone') return [[name, value]];
    return [
      [
        name,
        listOf(value).map((one) => {
          const uid = String(type === 'component' ? component : one['__component']);
          return { component: uid, ...valuesIn(place, componentOf(place.model, uid).attributes, one) };
        }),
      ],
    ];
  });
  return Object.fromEntries(entries);
}

export class Reader {
  requests = 0;
  private readonly url: string;
  private readonly place: Place;

  constructor(url: string, place: Place) {
    this.url = url;
    this.place = place;
  }

  async json(path: string): Promise<unknown> {
    this.requests += 1;
    const response = await fetch(`${this.url}/api/${path}`);
    const text = await response.text();
    if (response.status === 404) return null;
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  }

  /** Documents of a type, by their marks. */
  async documents(type: SourceType, { state, locale }: Moment): Promise<Map<string, Found>> {
    const { name, plural } = this.place.names.of(type);
    const query = [
      `status=${state}&locale=${locale}&pagination[pageSize]=100`,
      ...populate(this.place.model, type.attributes, 'populate'),
    ].join('&');
    const answer = (await this.json(`${type.isSingle ? name : plural}?${query}`)) as Json | null;
    return new Map(
      listOf(answer?.['data']).map((json) => {
        const times = {
          createdAt: json['createdAt'],
          updatedAt: json['updatedAt'],
          publishedAt: json['publishedAt'],
        };
        const found = {
          values: valuesIn(this.place, type.attributes, json),
          times: times as Answer['times'],
          documentId: String(json['documentId']),
          locale: String(json['locale']),
        };
        return [String(json['mark']), found];
      }),
    );
  }

  async users(): Promise<readonly Json[]> {
    return listOf(await this.json('users?populate=*'));
  }

  async files(): Promise<readonly Json[]> {
    return listOf(await this.json('upload/files'));
  }

  async bytes(url: string): Promise<Buffer> {
    this.requests += 1;
    const response = await fetch(this.url + url);
    return Buffer.from(await response.arrayBuffer());
  }
}
