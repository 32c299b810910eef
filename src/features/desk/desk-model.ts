/** Description of the model for one editor, as `GET /desk/model` returns it. */

type Action = 'find' | 'findOne' | 'create' | 'update';

/** Attribute with its constraints, in the names of its definition. */
export interface DeskAttribute {
  readonly name: string;
  readonly type: string;
  readonly label: string;
  readonly description?: string;
  readonly width?: number;
  readonly placeholder?: string;
  /** Names of those values of an enumeration that have one. */
  readonly values?: Readonly<Record<string, string>>;
  /** Name of a field of the host. */
  readonly field?: string;
  readonly required: boolean;
  readonly localized: boolean;
  /** Actions whose responses or bodies may contain the attribute. */
  readonly actions: readonly Action[];
  /** Types of related documents, of relations and media. */
  readonly targets?: readonly string[];
  /** Types whose documents the caller may link. */
  readonly linkable?: readonly string[];
  /** Whether a relation is the side without the links, which `mappedBy` names. */
  readonly isInverse?: boolean;
  readonly [constraint: string]: unknown;
}

export interface DeskPart {
  readonly label: string;
  readonly group: string | null;
  readonly description: string | null;
  /** Name of the attribute that names a document or instance. */
  readonly title: string;
  readonly attributes: readonly DeskAttribute[];
}

/** Stage of drafts: stages to which the caller may move some of them, and whether they can be published. */
export type DeskStage = {
  readonly to: readonly string[];
  readonly publish: boolean;
};

/** Content type that the caller may use. */
export interface DeskType extends DeskPart {
  readonly name: string;
  readonly pluralName: string;
  /** Name of the type in menus and over lists. */
  readonly listLabel: string;
  readonly kind: 'collectionType' | 'singleType';
  /** Path below the content prefix; null without routes. */
  readonly route: string | null;
  readonly draftAndPublish: boolean;
  readonly localized: boolean;
  readonly hidden: boolean;
  /** Whether the type has a preview. */
  readonly preview: boolean;
  readonly list: readonly string[];
  /** Readable relations to the users who created and last changed a document. */
  readonly authors: readonly string[];
  /** Integer attribute with the order of the documents; null for none. */
  readonly order: string | null;
  /** Stages of drafts by name, in the order of the definition; null without stages. */
  readonly stages: Readonly<Record<string, DeskStage>> | null;
  /**
   * Permitted actions, on all documents, or on some such as the caller's own ones (`own`). Types with
   * `history` have `versions` and `trash`. `live`: to publish, by an action or by a write. On one document,
   * `own` is this language only.
   */
  readonly verbs: Readonly<Record<string, 'all' | 'own'>>;
}

/** Component that an attribute of the description contains. */
export interface DeskComponent extends DeskPart {
  readonly uid: string;
}

/** Permissions of the caller on users, roles and API tokens. */
export interface DeskPeople {
  /** `create`: with a role and an invitation. `block`: also end all sessions. */
  readonly users: readonly ('find' | 'create' | 'invite' | 'changeRole' | 'block' | 'delete')[];
  readonly roles: readonly ('find' | 'findOne' | 'create' | 'update' | 'delete')[];
  /** `update`: make a new secret. */
  readonly tokens: readonly ('find' | 'create' | 'update' | 'delete')[];
}

/** Permissions of the caller on what the application has apart from content. */
export type DeskScreens = Pick<DeskModel, 'people' | 'webhooks' | 'audit' | 'releases'>;

export interface DeskModel {
  readonly defaultLocale: string;
  /** Codes of the locales; null for callers without `locale: ['find']`. */
  readonly locales: readonly string[] | null;
  readonly types: readonly DeskType[];
  readonly components: readonly DeskComponent[];
  /** Whether the API publishes no document without its required relations and media. */
  readonly strictRelations: boolean;
  readonly people: DeskPeople;
  /** Permissions of the caller on webhooks; none without the module of events. */
  readonly webhooks: readonly ('find' | 'findOne' | 'create' | 'update' | 'delete')[];
  /** Whether the caller may read the audit log; `false` without `AuditModule`. */
  readonly audit: boolean;
  /** Whether the caller may open releases; `false` without `ReleasesModule`. */
  readonly releases: boolean;
}
