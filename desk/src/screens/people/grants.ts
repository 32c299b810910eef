/** Grants of roles and tokens as rows of a table: one per content type, with a cell per verb. */
import type { Model } from '../../model/model.ts';
import type { Texts } from '../../texts/en.ts';

export const VERBS = [
  'find',
  'findOne',
  'create',
  'update',
  'delete',
  'readDrafts',
  'publish',
  'move',
  'open',
] as const;
export type Verb = (typeof VERBS)[number];

type Grant =
  | string
  | {
      readonly actions: '*' | readonly string[];
      readonly fields?: readonly string[];
      readonly own?: boolean;
    };

/** Grants by type, as the server stores them. */
export type Grants = Readonly<Record<string, '*' | readonly Grant[]>>;

export interface Row {
  readonly name: string;
  readonly cells: Readonly<Partial<Record<Verb, 'all' | 'own'>>>;
  /** Verbs that are limited to some attributes, with their names. */
  readonly limits: readonly (readonly [verb: Verb, fields: readonly string[]])[];
}

/** Subjects that can only be opened. */
const OPENED = ['desk', 'audit', 'releases'];

export const verbsOf = (name: string): readonly Verb[] =>
  OPENED.includes(name) ? ['open'] : VERBS.filter((verb) => verb !== 'open' || name === '*');

function rowOf(name: string, list: '*' | readonly Grant[]): Row {
  const cells: Partial<Record<Verb, 'all' | 'own'>> = {};
  const limits: (readonly [Verb, readonly string[]])[] = [];
  for (const grant of list === '*' ? [{ actions: '*' } as const] : list) {
    const { actions, fields, own = false } = typeof grant === 'string' ? { actions: [grant] } : grant;
    for (const verb of verbsOf(name).filter((one) => actions === '*' || actions.includes(one))) {
      if (cells[verb] !== 'all') cells[verb] = own ? 'own' : 'all';
      if (fields !== undefined) limits.push([verb, fields]);
    }
  }
  return { name, cells, limits };
}

/** Rows of several lists of grants, which add up. */
export const rowsOf = (...lists: readonly Grants[]): readonly Row[] =>
  lists.flatMap((grants) => Object.entries(grants).map(([name, list]) => rowOf(name, list)));

/** Whether grants open the desk. */
export const opensDesk = (...lists: readonly Grants[]): boolean =>
  rowsOf(...lists).some(({ name, cells }) => ['desk', '*'].includes(name) && cells.open === 'all');

/** Permissions of a role in the format of the role routes. */
export type Tree = Readonly<
  Record<
    string,
    {
      readonly controllers: Readonly<Record<string, Readonly<Record<string, { readonly enabled: boolean }>>>>;
    }
  >
>;

/** Verbs of actions that have another name in the tree. */
const NAMES: Readonly<Record<string, Verb>> = { upload: 'create', destroy: 'delete', listLocales: 'find' };

export interface Leaf {
  readonly group: string;
  readonly controller: string;
  readonly action: string;
  readonly verb: Verb;
  readonly enabled: boolean;
}

export interface Branch {
  readonly key: string;
  readonly name: string;
  readonly leaves: readonly Leaf[];
}

const isVerb = (action: string): action is Verb => (VERBS as readonly string[]).includes(action);

/** Rows of a tree. `move` is left out where `isStaged` denies that a type has stages. */
export const branchesOf = (tree: Tree, isStaged: (name: string) => boolean): readonly Branch[] =>
  Object.entries(tree).flatMap(([group, { controllers }]) =>
    Object.entries(controllers).map(([controller, actions]) => ({
      key: `${group}.${controller}`,
      name: controller,
      leaves: Object.entries(actions).flatMap(([action, { enabled }]) => {
        const verb = isVerb(action) ? action : NAMES[action];
        return verb === undefined || (verb === 'move' && !isStaged(controller))
          ? []
          : [{ group, controller, action, verb, enabled }];
      }),
    })),
  );

const isSameLeaf = (one: Leaf, other: Leaf): boolean =>
  (['group', 'controller', 'action'] as const).every((name) => one[name] === other[name]);

/** Returns the changed actions after another press on one of them, which takes an earlier press back. */
export function switched(changed: readonly Leaf[], leaf: Leaf): readonly Leaf[] {
  const others = changed.filter((one) => !isSameLeaf(one, leaf));
  return others.length < changed.length ? others : [...changed, { ...leaf, enabled: !leaf.enabled }];
}

/** Returns the tree with changed actions. */
export const withLeaves = (tree: Tree, leaves: readonly Leaf[]): Tree => leaves.reduce(withLeaf, tree);

function withLeaf(tree: Tree, { group, controller, action, enabled }: Leaf): Tree {
  const { controllers = {} } = tree[group] ?? {};
  const leaf = { enabled, policy: '' };
  return {
    ...tree,
    [group]: {
      controllers: { ...controllers, [controller]: { ...controllers[controller], [action]: leaf } },
    },
  };
}

interface Names {
  readonly texts: Texts;
  readonly model: Model;
}

/** Name of a subject of grants, as editors read it. */
export function subjectText(name: string, { texts, model }: Names): string {
  if (name === '*') return texts.persons.everything;
  const known = texts.persons.subjects as Readonly<Record<string, string>>;
  if (Object.hasOwn(known, name)) return known[name] ?? name;
  const label = model.type(name)?.listLabel;
  if (label !== undefined) return label;
  const words = name.replace(/[-_]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Labels of attributes. A type that the editor may not see has none: their names stay. */
export function fieldsText(subject: string, fields: readonly string[], model: Model): string {
  const attributes = model.type(subject)?.attributes ?? [];
  return fields.map((name) => attributes.find((one) => one.name === name)?.label ?? name).join(', ');
}
