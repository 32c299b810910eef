/** Models and content of a Strapi project, as the generator makes them and its archives describe them. */
import type { Dice } from '../../evolution/pairs/dice.ts';

/** Major version of Strapi that writes the archive. */
export type Flavour = 'v4' | 'v5';

/** An attribute as `schema.json` describes it. */
export interface SourceAttribute {
  readonly type: string;
  readonly [option: string]: unknown;
}

export type SourceAttributes = Readonly<Record<string, SourceAttribute>>;

export interface SourceComponent {
  readonly uid: string;
  readonly attributes: Record<string, SourceAttribute>;
}

export interface SourceType extends SourceComponent {
  readonly isSingle: boolean;
  readonly singular: string;
  readonly plural: string;
  readonly drafts: boolean;
  readonly localized: boolean;
}

export interface SourceModel {
  readonly flavour: Flavour;
  readonly types: readonly SourceType[];
  readonly components: readonly SourceComponent[];
  readonly locales: readonly string[];
  readonly defaultLocale: string;
  /** Attributes that the project adds to users. */
  readonly userAttributes: SourceAttributes;
}

export type State = 'draft' | 'published';

/** Instance of a component. */
export interface Instance {
  readonly component: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Name of a document in links: its `mark`. */
export interface Link {
  readonly type: string;
  readonly mark: string;
}

export interface Times {
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly publishedAt: string | null;
}

/** A row of a document. Values by attribute: JSON of scalars, lists of links, marks of files, instances. */
export interface Version extends Times {
  readonly state: State;
  /** Null in types without locales. */
  readonly locale: string | null;
  readonly values: Readonly<Record<string, unknown>>;
}

export interface SourceDocument {
  readonly type: SourceType;
  readonly mark: string;
  readonly documentId: string;
  readonly versions: readonly Version[];
}

export interface SourceFolder {
  readonly name: string;
  /** Index of the folder that contains it; null at the root. */
  readonly parent: number | null;
}

export interface SourceFile extends Times {
  readonly mark: string;
  readonly documentId: string;
  readonly name: string;
  readonly hash: string;
  readonly ext: string;
  readonly mime: string;
  readonly alternativeText: string | null;
  readonly caption: string | null;
  readonly folder: number | null;
  readonly bytes: Buffer;
  /** The archive contains the bytes. */
  readonly isThere: boolean;
  /** Strapi has stored a smaller version of the picture. */
  readonly hasFormat: boolean;
  readonly provider: 'local' | 'aws-s3';
}

export interface SourceUser extends Times {
  readonly mark: string;
  readonly documentId: string;
  readonly email: string;
  /** Null for a user who signs in through a provider. */
  readonly password: string | null;
  readonly hash: string | null;
  readonly confirmed: boolean;
  readonly blocked: boolean;
  /** Null for a user whose role was deleted. */
  readonly role: string | null;
  readonly values: Readonly<Record<string, unknown>>;
}

export interface SourceRole {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly actions: readonly string[];
}

/** All content, before it has rows. */
export interface World {
  readonly model: SourceModel;
  readonly documents: readonly SourceDocument[];
  readonly files: readonly SourceFile[];
  readonly folders: readonly SourceFolder[];
  readonly users: readonly SourceUser[];
  readonly roles: readonly SourceRole[];
  /** Documents of an owner's attribute in the order of the inverse side, as ranks by `attribute mark`. */
  readonly ranks: ReadonlyMap<string, number>;
}

/** Type of a plugin that the library does not have. */
export const STRANGE = 'plugin::navigation.item';
export const USER = 'plugin::users-permissions.user';
export const FILE = 'plugin::upload.file';

const hasOption = ({ pluginOptions }: SourceAttribute): boolean =>
  (pluginOptions as { i18n?: { localized?: boolean } } | undefined)?.i18n?.localized === true;

/** Strapi stores relations and uids per locale in every localized type, whatever their options are. */
export const isLocalized = (type: SourceType, attribute: SourceAttribute): boolean =>
  type.localized && (hasOption(attribute) || ['relation', 'uid'].includes(attribute.type));

/** Whether an attribute has no counterpart. */
export const isStrange = ({ target }: SourceAttribute): boolean => target === STRANGE;

/** Whether a relation shows links that the other side stores. */
export const isInverse = ({ mappedBy, morphBy }: SourceAttribute): boolean =>
  mappedBy !== undefined || morphBy !== undefined;

/** Whether a target belongs to one document. */
export const isExclusiveLink = ({ relation, inversedBy }: SourceAttribute): boolean =>
  relation === 'oneToOne' && inversedBy !== undefined;

export const isSingleLink = ({ type, relation, multiple }: SourceAttribute): boolean =>
  type === 'media'
    ? multiple !== true
    : ['oneToOne', 'manyToOne', 'morphToOne', 'morphOne'].includes(String(relation));

export function componentOf({ components }: SourceModel, uid: string): SourceComponent {
  const found = components.find((one) => one.uid === uid);
  if (found === undefined) throw new Error(`There is no component ${uid}`);
  return found;
}

export function typeOf({ types }: SourceModel, uid: string): SourceType {
  const found = types.find((one) => one.uid === uid);
  if (found === undefined) throw new Error(`There is no type ${uid}`);
  return found;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** A document id as Strapi makes them: a letter and 23 letters or digits. */
export const randomId = (dice: Dice): string =>
  Array.from({ length: 24 }, (_, i) => LETTERS[dice.below(i === 0 ? 26 : 36)]).join('');

/** An instant with milliseconds, in 2015 or later. */
export const randomTime = (dice: Dice, after = Date.UTC(2015, 0)): string =>
  new Date(after + 1 + dice.below(1000 * 3600 * 24 * 300)).toISOString();
