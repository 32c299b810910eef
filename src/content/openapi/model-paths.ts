/** Paths `/api/content-type-builder/…` for callers with the grant: the model for other programs. */
import { MODEL_GRANT } from '../model/naming.js';
import type { Describing } from './describing.js';
import { FLAG, json, type JsonSchema, list, open, type Operation, type Paths, TEXT } from './document.js';
import { ALWAYS, errorAnswers, ON_DOCUMENT } from './error-answers.js';
import { needsGrant } from './operation-texts.js';

type Members = Readonly<Record<string, JsonSchema>>;

const MAP: JsonSchema = { type: 'object', additionalProperties: true };

const requiredMembers = (members: Members, optional: Members = {}): JsonSchema =>
  open({ ...members, ...optional }, Object.keys(members));

/** Members of a type and of a component; later versions may add more. */
const COMMON: Members = { displayName: TEXT, description: TEXT, collectionName: TEXT, attributes: MAP };
const OF_TYPE: Members = {
  ...COMMON,
  singularName: TEXT,
  pluralName: TEXT,
  kind: { type: 'string', enum: ['collectionType', 'singleType'] },
  draftAndPublish: FLAG,
  visible: FLAG,
};

const LISTS = [
  {
    path: 'content-types',
    name: 'ContentType',
    words: ['the types', 'a type'],
    shape: requiredMembers(
      { uid: TEXT, apiID: TEXT, schema: { ...requiredMembers(OF_TYPE), additionalProperties: true } },
      { plugin: TEXT },
    ),
  },
  {
    path: 'components',
    name: 'Component',
    words: ['the components', 'a component'],
    shape: requiredMembers({
      uid: TEXT,
      category: TEXT,
      apiId: TEXT,
      schema: { ...requiredMembers(COMMON), additionalProperties: true },
    }),
  },
] as const;

const UID = {
  name: 'uid',
  in: 'path',
  required: true,
  description: 'Uid of the type or component.',
  schema: TEXT,
} as const;

function listPaths({ path, name, words, shape }: (typeof LISTS)[number], describing: Describing): Paths {
  const { base, components } = describing;
  const schema = components.ref(
    'schemas',
    { key: `the shape of ${name}`, name: `${name}Shape` },
    () => shape,
  );
  const operation = (of: Partial<Operation>, data: JsonSchema): Operation => ({
    operationId: `${name}_find`,
    tags: [MODEL_GRANT],
    summary: `List ${words[0]} that the caller can read`,
    description: needsGrant('find', MODEL_GRANT),
    ...of,
    responses: {
      200: { description: 'Success.', content: json(requiredMembers({ data })) },
      ...errorAnswers([...ALWAYS, ...(of.parameters === undefined ? [] : ON_DOCUMENT)], components),
    },
  });
  const one = {
    operationId: `${name}_findOne`,
    summary: `Get ${words[1]} that the caller can read`,
    parameters: [UID],
  };
  return {
    [`${base}/${MODEL_GRANT}/${path}`]: { get: operation({}, list(schema)) },
    [`${base}/${MODEL_GRANT}/${path}/{uid}`]: { get: operation(one, schema) },
  };
}

export function modelPaths(describing: Describing): Paths {
  if (!describing.caller.permissions.allows(MODEL_GRANT, 'find')) return {};
  return Object.fromEntries(LISTS.flatMap((one) => Object.entries(listPaths(one, describing))));
}
