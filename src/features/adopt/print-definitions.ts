/** Prints definitions as TypeScript files. */
import type { ComponentDefinition, ContentTypeDefinition } from '../../content/model/definitions.js';
import { freeName } from './names.js';
import type { Definitions } from './sound-definitions.js';

/** File of a definition, with a path below the folder of all definitions. */
export interface PrintedFile {
  readonly path: string;
  readonly text: string;
}

const WIDTH = 110;
const NAME = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

const quoted = (text: string): string =>
  `'${JSON.stringify(text)
    .slice(1, -1)
    .replace(/\\"/g, '"')
    .replace(/'/g, "\\'")
    .replace(/\u2028/g, '\\u2028')
    .replace(/\u2029/g, '\\u2029')}'`;

const keyOf = (key: string): string => (NAME.test(key) ? key : quoted(key));

function inline(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).map(([key, one]) => `${keyOf(key)}: ${inline(one)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

interface Place {
  readonly indent: number;
  /** Characters before the value on its line. */
  readonly before: number;
  /** True breaks the value even if it fits on the line. */
  readonly open?: boolean;
}

/** Prints a value, over several lines if it does not fit on one. */
function printed(value: unknown, { indent, before, open = false }: Place): string {
  const short = inline(value);
  const isList = Array.isArray(value);
  if (typeof value !== 'object' || value === null || short === '{}' || short === '[]') return short;
  if (!open && before + short.length < WIDTH) return short;
  const space = ' '.repeat(indent + 2);
  const members = Object.entries(value).map(([key, one]: [string, unknown]) => {
    const name = isList ? '' : `${keyOf(key)}: `;
    const inner = { indent: indent + 2, before: space.length + name.length, open: key === 'attributes' };
    return `${space}${name}${printed(one, inner)},\n`;
  });
  const [left, right] = isList ? '[]' : '{}';
  return `${left ?? ''}\n${members.join('')}${' '.repeat(indent)}${right ?? ''}`;
}

const whole = (value: unknown): string => printed(value, { indent: 0, before: 0, open: true });

/** Words that cannot name a constant, and names that the files import. */
const RESERVED: readonly string[] = [
  ...['break', 'case', 'catch', 'class', 'const', 'continue', 'debugger', 'default', 'delete', 'do', 'else'],
  ...['enum', 'export', 'extends', 'false', 'finally', 'for', 'function', 'if', 'import', 'in', 'instanceof'],
  ...['new', 'null', 'return', 'super', 'switch', 'this', 'throw', 'true', 'try', 'typeof', 'var', 'void'],
  ...[
    'while',
    'with',
    'yield',
    'let',
    'static',
    'implements',
    'interface',
    'package',
    'private',
    'protected',
  ],
  ...[
    'public',
    'await',
    'arguments',
    'eval',
    'contentTypes',
    'components',
    'userAttributes',
    'access',
    'locales',
    'defaultLocale',
  ],
  ...['undefined', 'defineCollectionType', 'defineSingleType', 'defineComponent', 'userTypes', 'global'],
];

const camel = (name: string): string =>
  name.replace(/[^A-Za-z0-9]+(.)?/g, (_all, next: string | undefined) => (next ?? '').toUpperCase());

/** Returns a distinct name of a constant for each definition. */
function constantsOf(names: readonly (readonly [string, string])[]): ReadonlyMap<string, string> {
  const taken = new Set(RESERVED);
  const found = new Map<string, string>();
  for (const [name, suffix] of names) {
    const plain = camel(name);
    let one = taken.has(plain) ? `${plain}${suffix}` : plain;
    for (let n = 2; taken.has(one); n += 1) one = `${plain}${suffix}${n}`;
    taken.add(one);
    found.set(name, one);
  }
  return found;
}

const DEFINE = { collectionType: 'defineCollectionType', singleType: 'defineSingleType' } as const;

const fileOf = (define: string, constant: string, definition: object): string =>
  `import { ${define} } from 'nestjs-content-api';

export const ${constant} = ${define}(${whole(definition)});
`;

const typePath = ({ singularApiId }: ContentTypeDefinition): string => `types/${singularApiId}`;

/** Returns the path of a component. Paths in lower case differ on every file system. */
const componentPath = ({ uid }: ComponentDefinition, taken: Set<string>): string =>
  freeName(`components/${uid.replace('.', '/').toLowerCase()}`, taken, '-');

interface Named {
  readonly constant: string;
  readonly path: string;
}

const importsOf = (named: readonly Named[]): string =>
  named.map(({ constant, path }) => `import { ${constant} } from './${path}.js';\n`).join('');

const listOf = (name: string, named: readonly Named[]): string => {
  // An empty list without a type is an error under `strict`.
  if (named.length === 0) return `export const ${name} = [] as const;`;
  const items = named.map(({ constant }) => constant);
  const line = `export const ${name} = [${items.join(', ')}];`;
  return line.length <= WIDTH
    ? line
    : `export const ${name} = [\n${items.map((one) => `  ${one},\n`).join('')}];`;
};

interface Index extends Pick<PrintedSettings, 'locales' | 'defaultLocale'> {
  readonly types: readonly Named[];
  readonly parts: readonly Named[];
}

function indexOf({ types, parts, locales, defaultLocale }: Index): string {
  const language =
    defaultLocale === null
      ? ''
      : `
/** Locales of the project: for \`locales\` and \`defaultLocale\` of \`ContentModule.forRoot\`. */
export const locales = ${inline(locales)};
export const defaultLocale = ${inline(defaultLocale)};
`;
  return `/** Content types and components. Add the types of your application to these lists. */
${importsOf([...types, ...parts])}
export { access } from './access.js';
export { userAttributes } from './user-attributes.js';

${listOf('contentTypes', types)}

${listOf('components', parts)}
${language}`;
}

const usersFile = (attributes: object): string =>
  `/** Attributes that the project has added to users: for \`userTypes(userAttributes)\`. */
export const userAttributes = ${whole(attributes)} as const;
`;

const accessFile = (access: object): string =>
  `/**
 * Grants suggested from the permissions of the roles. Check them: remove those that you do not need.
 * Pass them as \`access\` of \`ContentModule.forRoot\`.
 */
import type { ContentModuleOptions } from 'nestjs-content-api';

export const access = ${whole(access)} as const satisfies ContentModuleOptions['access'];
`;

export interface PrintedSettings {
  readonly access: object;
  readonly locales: readonly string[];
  /** Null if the source does not name its locales. */
  readonly defaultLocale: string | null;
}

/** Returns the files of all definitions, one per type and component, and an index. */
export function printDefinitions(
  { contentTypes, components, userAttributes }: Definitions,
  { access, locales, defaultLocale }: PrintedSettings,
): readonly PrintedFile[] {
  const constants = constantsOf([
    ...contentTypes.map(({ singularApiId }) => [singularApiId, 'Type'] as const),
    ...components.map(({ uid }) => [uid, 'Component'] as const),
  ]);
  const types = contentTypes.map((type) => ({
    type,
    path: typePath(type),
    constant: constants.get(type.singularApiId) ?? '',
  }));
  const taken = new Set<string>();
  const parts = components.map((component) => ({
    component,
    path: componentPath(component, taken),
    constant: constants.get(component.uid) ?? '',
  }));
  return [
    ...types.map(({ type: { kind, ...rest }, path, constant }) => ({
      path: `${path}.ts`,
      text: fileOf(DEFINE[kind], constant, rest),
    })),
    ...parts.map(({ component, path, constant }) => ({
      path: `${path}.ts`,
      text: fileOf('defineComponent', constant, component),
    })),
    { path: 'user-attributes.ts', text: usersFile(userAttributes) },
    { path: 'access.ts', text: accessFile(access) },
    { path: 'index.ts', text: indexOf({ types, parts, locales, defaultLocale }) },
  ];
}
