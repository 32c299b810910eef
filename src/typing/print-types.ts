/**
 * The documents and inputs of a frozen model as TypeScript, for front ends that have none of the
 * application's code: what `npx nestjs-content-api types` writes.
 */
import { byKind } from '../schema/by-kind.js';
import type { ScalarTypeName } from '../schema/definitions.js';
import type {
  Attribute,
  Component,
  ComponentAttribute,
  ContentType,
  Model,
  MorphAttribute,
  RelationAttribute,
  ScalarAttribute,
  Schema,
  ZoneAttribute,
} from '../schema/model.js';
import { COMPONENT, TYPE, typeUid } from '../schema/naming.js';

const HEAD = `// Written by \`npx nestjs-content-api types\`: write it again when the model changes.

/** How a relation or file names a document. */
export type Reference = number | string | { id: number | string } | { documentId: string };
/** Where something new stands in a list. */
export type Position = { before?: number | string; after?: number | string; start?: true; end?: true };
/** A change of a relation; \`set\` wins over the others. */
export type Change<R> = {
  set?: R[] | R | null;
  connect?: (R | (Extract<R, object> & { position?: Position }))[];
  disconnect?: R[];
  options?: { strict?: boolean };
};
export type ToOne<R = Reference> = R | null | Change<R>;
export type ToMany<R = Reference> = R[] | Change<R>;
/** A node of a \`blocks\` attribute. */
export type BlockNode = { type: string; children?: BlockNode[]; [key: string]: unknown };
`;

const VALUES: Readonly<Record<ScalarTypeName, string>> = {
  string: 'string',
  text: 'string',
  richtext: 'string',
  email: 'string',
  password: 'string',
  uid: 'string',
  enumeration: 'string',
  integer: 'number',
  biginteger: 'string',
  float: 'number',
  decimal: 'number',
  boolean: 'boolean',
  date: 'string',
  time: 'string',
  datetime: 'string',
  timestamp: 'string',
  json: 'unknown',
  array: 'unknown[]',
  blocks: 'BlockNode[]',
};

/** `blog-post` and `shared.blog-post` as `BlogPost` and `SharedBlogPost`. */
const pascal = (id: string): string =>
  id.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_all, first: string) => first.toUpperCase());

/** Names of models, none of them twice. */
function namesOf({ types, components }: Schema): ReadonlyMap<Model, string> {
  const taken = new Set(['Reference', 'Position', 'Change', 'ToOne', 'ToMany', 'BlockNode', ...SUMS]);
  const free = (wanted: string): string => {
    const isFree = (name: string): boolean => !taken.has(name) && !taken.has(`${name}Input`);
    const name = isFree(wanted) ? wanted : `${wanted}Content`;
    const found = isFree(name) ? name : `${name}${taken.size}`;
    taken.add(found).add(`${found}Input`);
    return found;
  };
  return new Map(
    [...types.values(), ...components.values()].map((model) => [
      model,
      free(pascal(model.model === 'type' ? model.singularApiId : model.uid)),
    ]),
  );
}

/** The types that list all others. */
const SUMS = ['Collections', 'Singles', 'ContentClient'];

type Names = ReadonlyMap<Model, string>;

const nameIn = (names: Names, model: Model): string => names.get(model) ?? 'unknown';
const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&').replace(/\n/g, '\\n')}'`;
const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name));
const anyOf = (parts: readonly string[]): string => (parts.length === 0 ? 'never' : parts.join(' | '));
const listed = (item: string, many: boolean): string => (many ? `(${item})[]` : `${item} | null`);

const scalarValue = ({ def }: ScalarAttribute): string =>
  def.type === 'enumeration' ? anyOf((def.enum ?? []).map(quoted)) : VALUES[def.type];

/** An item that says of which kind it is. */
const marked = (name: string, mark: string, kind: string): string =>
  `(${name} & { ${mark}: ${quoted(kind)} })`;

const kindsShown = ({ targets }: MorphAttribute, names: Names): string =>
  anyOf(targets.map((type) => marked(nameIn(names, type), TYPE, typeUid(type))));

const instances = ({ components }: ZoneAttribute, names: Names, suffix: string): string =>
  anyOf(components.map((one) => marked(`${nameIn(names, one)}${suffix}`, COMPONENT, one.uid)));

const shown = byKind<Attribute, [Names], string>({
  scalar: (attribute) => `${scalarValue(attribute)}${isNull(attribute) ? ' | null' : ''}`,
  relation: ({ target, many }: RelationAttribute, names) => listed(nameIn(names, target), many),
  morph: (attribute: MorphAttribute, names) => listed(kindsShown(attribute, names), attribute.many),
  component: ({ component, many }: ComponentAttribute, names) => listed(nameIn(names, component), many),
  zone: (attribute: ZoneAttribute, names) => listed(instances(attribute, names, ''), true),
});

const given = byKind<Attribute, [Names], string>({
  scalar: (attribute) => `${scalarValue(attribute)}${attribute.required ? '' : ' | null'}`,
  relation: ({ many }: RelationAttribute) => (many ? 'ToMany' : 'ToOne'),
  morph: ({ many, targets }: MorphAttribute) => {
    const kind = `{ ${TYPE}: ${anyOf(targets.map((type) => quoted(typeUid(type))))} }`;
    return `${many ? 'ToMany' : 'ToOne'}<Extract<Reference, object> & ${kind}>`;
  },
  component: ({ component, many }: ComponentAttribute, names) =>
    listed(`${nameIn(names, component)}Input`, many),
  zone: (attribute: ZoneAttribute, names) => listed(instances(attribute, names, 'Input'), true),
});

const no = (): boolean => false;
const yes = (): boolean => true;

/** Whether it is filled where a new document does not say it, or need not be there. */
const isMade = byKind<Attribute, [], boolean>({
  scalar: ({ def }: ScalarAttribute) => def.default !== undefined || def.generate === true,
  relation: yes,
  morph: yes,
  component: no,
  zone: no,
});

/** Whether it is there without being populated. */
const isOwnValue = byKind<Attribute, [], boolean>({
  scalar: yes,
  relation: no,
  morph: no,
  component: no,
  zone: no,
});

/** Whether a new document has to say it. */
function isNeeded(attribute: Attribute, model: Model): boolean {
  const isOwner = model.model === 'type' && model.owner === attribute.name;
  return attribute.required && !isOwner && !isMade(attribute);
}

const block = (name: string, lines: readonly string[]): string =>
  `export type ${name} = {\n${lines.map((line) => `  ${line};\n`).join('')}};\n`;

/** What the service sets is there; only a draft has no time of publication. */
const isNull = ({ required, open, name }: Attribute): boolean => (open ? name === 'publishedAt' : !required);

/** Scalars are always there, what is populated only then. */
const documentText = (model: Model, names: Names): string =>
  block(
    nameIn(names, model),
    [...model.attributes.values()]
      .filter(({ hidden, private: isPrivate }) => !hidden && !isPrivate)
      .map(
        (attribute) =>
          `${key(attribute.name)}${isOwnValue(attribute) ? '' : '?'}: ${shown(attribute, names)}`,
      ),
  );

function inputText(model: Model, names: Names): string {
  const identity = model.model === 'component' ? ['id?: number'] : [];
  const lines = [...model.attributes.values()]
    .filter(({ system, writable, open }) => !system && writable && !open)
    .map((attribute) => {
      const optional = isNeeded(attribute, model) ? '' : '?';
      return `${key(attribute.name)}${optional}: ${given(attribute, names)}`;
    });
  return block(`${nameIn(names, model)}Input`, [...identity, ...lines]);
}

const modelText = (model: Model, names: Names): string => {
  const what =
    model.model === 'type' ? `A document of the type ${model.singularApiId}` : `The component ${model.uid}`;
  return `/** ${what}. */\n${documentText(model, names)}/** What a body says of it. */\n${inputText(model, names)}`;
};

const routed = (schema: Schema, kind: ContentType['kind']): ContentType[] =>
  [...schema.types.values()].filter((type) => type.kind === kind && type.routes.length > 0);

const sumText = (name: string, types: readonly ContentType[], names: Names): string =>
  block(
    name,
    types.map((type) => {
      const model = nameIn(names, type);
      return `${key(type.route)}: { document: ${model}; input: ${model}Input }`;
    }),
  );

const CLIENT = `/** \`const client = strapi({ baseURL }) as ContentClient<StrapiClient>\`, with \`@strapi/client\`. */
export type ContentClient<Client> = Omit<Client, 'collection' | 'single'> & {
  collection<K extends keyof Collections>(
    name: K,
  ): {
    find(query?: object): Promise<{
      data: Collections[K]['document'][];
      meta: {
        pagination?: {
          page?: number; pageSize?: number; pageCount?: number;
          start?: number; limit?: number; total?: number;
        };
      };
    }>;
    findOne(documentId: string, query?: object): Promise<{ data: Collections[K]['document'] }>;
    create(data: Collections[K]['input'], query?: object): Promise<{ data: Collections[K]['document'] }>;
    update(
      documentId: string,
      data: Partial<Collections[K]['input']>,
      query?: object,
    ): Promise<{ data: Collections[K]['document'] }>;
    delete(documentId: string, query?: object): Promise<void>;
  };
  single<K extends keyof Singles>(
    name: K,
  ): {
    find(query?: object): Promise<{ data: Singles[K]['document'] }>;
    update(data: Partial<Singles[K]['input']>, query?: object): Promise<{ data: Singles[K]['document'] }>;
    delete(query?: object): Promise<void>;
  };
};
`;

/** The model as TypeScript. Types by their ids in Pascal case, their inputs with \`Input\` behind. */
export function printTypes(schema: Schema): string {
  const names = namesOf(schema);
  const models: readonly (ContentType | Component)[] = [
    ...schema.types.values(),
    ...schema.components.values(),
  ];
  return [
    HEAD,
    ...models.map((model) => modelText(model, names)),
    '/** What has routes, by the name in the URL. */',
    sumText('Collections', routed(schema, 'collectionType'), names),
    sumText('Singles', routed(schema, 'singleType'), names),
    CLIENT,
  ].join('\n');
}
