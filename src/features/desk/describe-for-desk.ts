/**
 * Description of the model for one caller. The functions that decide about OpenAPI and
 * `content-type-builder` decide here.
 */
import type { Caller } from '../../content/access/caller.js';
import { decide, decideMove, decidePublished, type Decision } from '../../content/access/decide.js';
import type { Action } from '../../content/access/actions.js';
import type { DocumentGrants } from '../../content/documents/document-grants.js';
import { isVisible } from '../../content/http/model-shapes.js';
import type { ContentType, Schema } from '../../content/model/model.js';
import { HANDLERS, HANDLERS_OF, isServed } from '../../content/model/routes.js';
import { STAGE } from '../../content/model/stage-definition.js';
import { writableOf } from '../../content/openapi/inputs.js';
import { rootView } from '../../content/openapi/view.js';
import { mayKnow, oneOf, rightsOf } from '../../content/plan/rights.js';
import { mayLook, mayRestore, type Viewer } from '../../content/plan/version-rights.js';
import { writeRightsOf } from '../../content/plan/write-rights.js';
import type { ContentSettings } from '../../kernel/settings.js';
import type { DeskModel, DeskScreens, DeskStage, DeskType } from './desk-model.js';
import { type Actions, type AllowedAttributes, DeskParts, type Reader, type Use } from './desk-parts.js';

export interface DeskReader {
  readonly schema: Schema;
  readonly settings: ContentSettings;
  readonly caller: Caller;
  /** Language of the desk. Default: the first one of each text. */
  readonly language?: string;
}

const READS = ['find', 'findOne'] as const;
const WRITES = ['create', 'update'] as const;

/** Routes of the file type, which the module of files serves. */
const OF_FILES: readonly Action[] = [...READS, ...WRITES, 'delete'];

type Verbs = DeskType['verbs'];

/** Permitted routes of a type, `readDrafts`, and `live`: to publish, by an action or by a write. */
export function verbsOf(type: ContentType, caller: Caller): Verbs {
  const routed = type.internal
    ? OF_FILES.map((action) => ({ route: action, actions: [action] }))
    : HANDLERS_OF[type.kind]
        .filter((handler) => isServed(handler, type))
        .map((handler) => HANDLERS[handler])
        .filter(({ route }) => route !== 'history')
        .map(({ route, action, otherwise }) => ({ route, actions: [action, ...otherwise] }));
  const drafts = type.draftAndPublish ? [{ route: 'readDrafts', actions: ['readDrafts' as const] }] : [];
  const permitted = [...routed, ...drafts].map(({ route, actions }) => ({
    route,
    decisions: actions.map((action) => decide(caller, type, action)),
  }));
  const live = { route: 'live', decisions: decideLive(type, caller) };
  const verbs = [...permitted, live].flatMap(({ route, decisions }) => {
    const granted = decisions.filter((one) => one !== 'none');
    return granted.length === 0 ? [] : [[route, isLimited(granted) ? 'own' : 'all'] as const];
  });
  return { ...Object.fromEntries(verbs), ...historyVerbsOf({ type, caller }) };
}

/** Decisions about the routes that publish: the action, and a write. */
function decideLive(type: ContentType, caller: Caller): readonly Decision[] {
  if (!type.draftAndPublish) return [];
  const { routes } = type;
  return [
    ...(routes.includes('publish') ? [decide(caller, type, 'publish')] : []),
    ...(routes.includes('update') ? [decidePublished(caller, type, 'update')] : []),
  ];
}

/** Grant that each verb on one document needs. */
const GRANT_OF = {
  create: 'create',
  update: 'update',
  versions: 'update',
  delete: 'delete',
  publish: 'publish',
  schedule: 'publish',
  unpublish: 'withdraw',
  discard: 'discard',
} as const satisfies Readonly<Record<string, keyof DocumentGrants>>;

/** Returns the verbs of a type that the grants on one document allow. */
export function verbsWith(verbs: Verbs, grants: DocumentGrants): Verbs {
  const live = 'publish' in verbs && grants.publish !== 'none' ? grants.publish : grants.live;
  const extents = new Map(Object.entries(GRANT_OF).map(([verb, grant]) => [verb, grants[grant]]));
  extents.set('live', 'update' in verbs || 'publish' in verbs ? live : 'none');
  return Object.fromEntries(
    Object.entries(verbs).flatMap(([verb, all]): [string, 'all' | 'own'][] => {
      const extent = extents.get(verb) ?? all;
      return extent === 'none' ? [] : [[verb, extent]];
    }),
  );
}

/** Whether decisions cover some documents only. */
const isLimited = (decisions: readonly Decision[]): boolean => decisions.every((one) => one !== 'all');

/** `versions`: stored versions of a document. `trash`: deleted documents. */
function historyVerbsOf(viewer: Viewer): Verbs {
  const { type, caller } = viewer;
  if (!type.history) return {};
  const actions = [oneOf(type), 'update'] as const;
  const scope = actions.some((action) => isLimited([decide(caller, type, action)])) ? 'own' : 'all';
  const mayList = mayLook(viewer, true) || (type.draftAndPublish && mayLook(viewer, false));
  const hasTrash = type.kind === 'collectionType' && isServed('restore', type) && mayRestore(viewer);
  return { ...(mayList ? { versions: scope } : {}), ...(hasTrash ? { trash: scope } : {}) };
}

/** Attributes that responses to a read contain; those of files appear in every document with media. */
function readable(
  type: ContentType,
  action: (typeof READS)[number],
  { caller, settings }: DeskReader,
): AllowedAttributes {
  if (!type.internal && decide(caller, type, action) === 'none') return [];
  if (type.kind === 'singleType' && action === 'findOne') return [];
  if (!type.internal) return rootView({ caller, settings }, type, action).attributes;
  const rights = rightsOf(caller, { fields: null, published: true }, settings.limits);
  return [...type.attributes.values()].filter((attribute) => mayKnow(rights, type, attribute));
}

function writable(type: ContentType, action: (typeof WRITES)[number], caller: Caller): AllowedAttributes {
  return writableOf(type, { rights: writeRightsOf(caller, { type, action, published: true }) });
}

function usesOf(type: ContentType, verbs: Verbs, described: DeskReader): readonly Use[] {
  const reads = READS.map((action) => ({ action, attributes: readable(type, action, described) }));
  const writes = WRITES.filter((action) => !type.internal && action in verbs).map((action) => ({
    action,
    attributes: writable(type, action, described.caller),
  }));
  return [...reads, ...writes];
}

const isListed = (type: ContentType, verbs: Verbs, caller: Caller): boolean =>
  type.internal || isVisible(caller, type) || Object.keys(verbs).some((verb) => verb !== 'readDrafts');

/** Stages with the moves of the caller. Without a stage that must be reached, each can be published. */
function stagesOf({ type, caller, parts }: Describing): DeskType['stages'] {
  if (type.stages === null || !parts.isRead(type, STAGE)) return null;
  const { states, publishing } = type.stages;
  const stages = [...states].map(([name, { to }]): [string, DeskStage] => [
    name,
    {
      to: [...to].filter((next) => decideMove(caller, type, next) !== 'none'),
      publish: publishing.size === 0 || publishing.has(name),
    },
  ]);
  return Object.fromEntries(stages);
}

interface Describing {
  readonly type: ContentType;
  readonly caller: Caller;
  readonly parts: DeskParts;
}

function typeOf({ type, caller, parts }: Describing, verbs: Verbs): DeskType {
  const { singularApiId, pluralApiId, kind, draftAndPublish, localized, layout } = type;
  return {
    name: singularApiId,
    pluralName: pluralApiId,
    listLabel: parts.listLabelOf(type),
    kind,
    route: type.routes.length === 0 ? null : type.route,
    draftAndPublish,
    localized,
    hidden: layout.hidden ?? false,
    preview: layout.preview !== undefined,
    verbs,
    list: parts.listOf(type),
    authors: parts.authorsOf(type),
    order: parts.orderOf(type),
    stages: stagesOf({ type, caller, parts }),
    ...parts.of(type),
  };
}

/** Describes the types, components and attributes that the caller may read or write, and nothing else. */
export function describeForDesk(described: DeskReader): Omit<DeskModel, keyof DeskScreens> {
  const { schema, settings, caller, language = '' } = described;
  const reader: Reader = { schema, caller, language, limits: settings.limits };
  const listed = [...schema.types.values()]
    .map((type) => ({ type, verbs: verbsOf(type, caller) }))
    .filter(({ type, verbs }) => isListed(type, verbs, caller));
  const uses: Actions = new Map(listed.map(({ type, verbs }) => [type, usesOf(type, verbs, described)]));
  const parts = new DeskParts(uses, reader);
  return {
    defaultLocale: settings.defaultLocale,
    locales: caller.permissions.allows('locale', 'find') ? settings.locales : null,
    types: listed.map(({ type, verbs }) => typeOf({ type, caller, parts }, verbs)),
    components: parts.components(),
    strictRelations: settings.strictRelations,
  };
}
