/**
 * Compares the routes that describe the model between two applications. Their models differ only in names
 * that a caller may not read: of hidden attributes, unreadable types and the components inside them.
 */
import { type ContentModuleOptions, defineCollectionType, type Grant, type Grants } from 'nestjs-content-api';
import { createDatabase } from '../support/database.ts';
import { Client, NamedCallers, startApp } from './apps.ts';
import { type Attribute, buildSchema, type ContentType, type Model, type Schema } from './internals.ts';
import { comparable, difference } from './leak-check.ts';
import { CALLERS, isSecret, mayRead, openModel, withModel } from './leak-worlds.ts';
import { model } from './model.ts';

const READ = ['find', 'findOne'] as const;

/** Visible attributes whose definitions contain names of hidden ones. */
const exhibit = defineCollectionType({
  singularApiId: 'exhibit',
  pluralApiId: 'exhibits',
  desk: { title: 'ungranted', list: ['title', 'ungranted'] },
  attributes: {
    title: { type: 'string' },
    hiddenTitle: { type: 'string', private: true },
    ungranted: { type: 'string' },
    slug: { type: 'uid', targetField: 'hiddenTitle' },
    path: { type: 'uid', targetField: 'ungranted' },
    label: { type: 'relation', relation: 'manyToOne', target: 'label', inversedBy: 'hiddenExhibits' },
    topic: { type: 'relation', relation: 'manyToOne', target: 'label', inversedBy: 'ungranted' },
    marks: { type: 'relation', relation: 'morphMany', target: 'label', morphBy: 'hiddenSubject' },
  },
});
const label = defineCollectionType({
  singularApiId: 'label',
  pluralApiId: 'labels',
  attributes: {
    name: { type: 'string' },
    hiddenExhibits: {
      type: 'relation',
      relation: 'oneToMany',
      target: 'exhibit',
      mappedBy: 'label',
      private: true,
    },
    ungranted: { type: 'relation', relation: 'oneToMany', target: 'exhibit', mappedBy: 'topic' },
    hiddenSubject: { type: 'relation', relation: 'morphToOne', targets: ['exhibit'], private: true },
  },
});
const EXHIBITS: Grants = {
  exhibit: [{ actions: READ, fields: ['title', 'slug', 'path', 'label', 'topic', 'marks'] }],
  label: [{ actions: READ, fields: ['name'] }],
};

type Definition = Readonly<Record<string, unknown>>;
interface Layout {
  readonly title?: string;
  readonly list?: readonly string[];
}
interface ModelDefinition {
  readonly singularApiId?: string;
  readonly pluralApiId?: string;
  readonly uid?: string;
  readonly desk?: Layout;
  readonly attributes: Readonly<Record<string, Definition>>;
}
type Options = Pick<ContentModuleOptions, 'contentTypes' | 'components' | 'locales'>;

const capital = (text: string): string => `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`;

/** Renames all parts of a model that a caller may not read. */
class Renaming {
  private readonly schema: Schema;
  private readonly grants: Grants;
  private readonly reached = new Set<Model>();

  constructor(schema: Schema, grants: Grants) {
    this.schema = schema;
    this.grants = grants;
    for (const type of schema.types.values()) if (!this.isClosed(type)) this.reach(type);
  }

  private isClosed(type: ContentType): boolean {
    return !type.internal && !mayRead(this.grants, type);
  }

  private isHidden(of: Model, attribute: Attribute): boolean {
    return !attribute.system && isSecret(attribute, of, this.grants, READ);
  }

  /** Adds the components that the caller can reach. */
  private reach(of: Model): void {
    if (this.reached.has(of)) return;
    this.reached.add(of);
    for (const attribute of of.attributes.values())
      if ('components' in attribute && !this.isHidden(of, attribute))
        for (const component of attribute.components) this.reach(component);
  }

  type(name: string): string {
    const type = this.schema.types.get(name);
    return type !== undefined && this.isClosed(type) ? `other-${name}` : name;
  }

  component(uid: string): string {
    const component = this.schema.components.get(uid);
    const isKnown = component === undefined || this.reached.has(component);
    return isKnown ? uid : uid.replace('.', '.other-');
  }

  attribute(of: Model | undefined, name: string): string {
    const attribute = of?.attributes.get(name);
    if (of === undefined || attribute === undefined) return name;
    return this.isHidden(of, attribute) ? `other${capital(name)}` : name;
  }

  private definition(of: Model, def: Definition): Definition {
    const { target, targets, component, components } = def;
    const other = this.schema.types.get(target as string);
    const named = (key: string, model: Model | undefined): Definition =>
      key in def ? { [key]: this.attribute(model, String(def[key])) } : {};
    return {
      ...def,
      ...(target === undefined ? {} : { target: this.type(target as string) }),
      ...(targets === undefined ? {} : { targets: (targets as string[]).map((one) => this.type(one)) }),
      ...(component === undefined ? {} : { component: this.component(component as string) }),
      ...(components === undefined
        ? {}
        : { components: (components as string[]).map((uid) => this.component(uid)) }),
      ...named('mappedBy', other),
      ...named('inversedBy', other),
      ...named('morphBy', other),
      ...named('targetField', of),
    };
  }

  private attributes(of: Model, { attributes }: ModelDefinition): Readonly<Record<string, Definition>> {
    const renamed = Object.entries(attributes).map(([name, def]): [string, Definition] => [
      this.attribute(of, name),
      this.definition(of, def),
    ]);
    return Object.fromEntries([...renamed, ['alsoHidden', { type: 'string', private: true }]]);
  }

  private layout(of: Model, { title = '', list = [] }: Layout): Layout {
    return { title: this.attribute(of, title), list: list.map((name) => this.attribute(of, name)) };
  }

  options(of: Options): Options {
    const types = of.contentTypes as unknown as readonly ModelDefinition[];
    const components = of.components as unknown as readonly ModelDefinition[];
    const contentTypes = types.map((def) => {
      const { singularApiId = '', pluralApiId, desk } = def;
      const type = this.schema.types.get(singularApiId) as ContentType;
      const isRenamed = this.isClosed(type);
      return {
        ...def,
        singularApiId: this.type(singularApiId),
        ...(pluralApiId === undefined
          ? {}
          : { pluralApiId: isRenamed ? `other-${pluralApiId}` : pluralApiId }),
        ...(desk === undefined ? {} : { desk: this.layout(type, desk) }),
        attributes: this.attributes(type, def),
      };
    });
    const renamed = components.map((def) => {
      const { uid = '' } = def;
      const component = this.schema.components.get(uid) as Model;
      return { ...def, uid: this.component(uid), attributes: this.attributes(component, def) };
    });
    return { ...of, contentTypes, components: renamed } as unknown as Options;
  }

  /** Translates the grants to the renamed model. */
  renamedGrants(): Grants {
    return Object.fromEntries(
      Object.entries(this.grants).map(([name, list]) => {
        const rename = (grant: Grant): Grant =>
          typeof grant === 'string' || grant.fields === undefined
            ? grant
            : {
                ...grant,
                fields: grant.fields.map((field) => this.attribute(this.schema.types.get(name), field)),
              };
        return [name, list === '*' ? list : ([...list] as Grant[]).map(rename)];
      }),
    );
  }
}

/** Paths for all names of two models. */
function pathsAbout(schemas: readonly Schema[]): string[] {
  const types = schemas.flatMap(({ types: all }) => [...all.keys()].map((name) => `api::${name}.${name}`));
  const components = schemas.flatMap(({ components: all }) => [...all.keys()]);
  return [
    'content-type-builder/content-types',
    'content-type-builder/components',
    ...new Set(types.map((uid) => `content-type-builder/content-types/${uid}`)),
    ...new Set(components.map((uid) => `content-type-builder/components/${uid}`)),
    'desk/model',
    'openapi.json',
    'openapi.json?count=false',
  ];
}

export interface ModelLeak {
  readonly caller: string;
  readonly path: string;
  readonly problem: string;
}

const NAMED_FORMATS = [{}, { 'strapi-response-format': 'v4' }] as const;

/** Caller who may read a model without private attributes. */
export const OPEN_CALLER = 'everything';

/** Compares two applications for each caller; returns the descriptions that expose hidden names. */
export async function modelLeaks(
  callers: readonly string[],
  serverUrl?: string,
): Promise<{ readonly asked: number; readonly leaks: readonly ModelLeak[] }> {
  const leaks: ModelLeak[] = [];
  let asked = 0;
  const database = await createDatabase(serverUrl);
  try {
    for (const caller of callers) {
      const isOpen = caller === OPEN_CALLER;
      const grants: Grants = { ...CALLERS[caller], ...EXHIBITS };
      const given = isOpen ? openModel() : model;
      const base: Options = {
        ...given,
        contentTypes: [...given.contentTypes, exhibit, label],
      };
      const closed = buildSchema([...model.contentTypes, exhibit, label], model.components);
      const renaming = new Renaming(closed, isOpen ? { ...CALLERS['dossierOnly'], ...EXHIBITS } : grants);
      const other = renaming.options(base);
      const schemas = [base, other].map(({ contentTypes, components = [] }) =>
        buildSchema(contentTypes, components),
      );
      const start = (options: Options, granted: Grants) =>
        startApp(
          { ...options, auth: { strategies: [new NamedCallers({ [caller]: withModel(granted) })] } },
          database.url,
        );
      const alpha = await start(base, isOpen ? { '*': '*' } : grants);
      const omega = await start(other, isOpen ? { '*': '*' } : renaming.renamedGrants());
      const clients = [new Client(alpha.url), new Client(omega.url)] as const;
      for (const path of pathsAbout(schemas))
        for (const format of NAMED_FORMATS) {
          const headers = { authorization: `Bearer ${caller}`, ...format };
          const [a, b] = await Promise.all([
            clients[0].get(`/api/${path}`, headers),
            clients[1].get(`/api/${path}`, headers),
          ]);
          asked += 1;
          if (comparable(a) !== comparable(b)) leaks.push({ caller, path, problem: difference(a, b) });
        }
      for (const client of clients) client.close();
      await alpha.close();
      await omega.close();
    }
  } finally {
    await database.drop();
  }
  return { asked, leaks };
}
