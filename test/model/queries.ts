/** Query strings that populate all of a document. */
import { PARTS, type Type } from './shape.ts';
import type { State } from './links.ts';

const ID = '[fields][0]=documentId';

/** `__type` of items of several types. */
export const uidOf = (name: string): string => `api::${name}.${name}`;

function partPopulate(uid: string): string[] {
  const { one, many } = PARTS[uid] ?? { one: {}, many: {} };
  return [...Object.keys(one), ...Object.keys(many)].map((name) => `[populate][${name}]${ID}`);
}

function populateOf({ sides, embedded, localized }: Type): string {
  const parts = [
    ...sides.flatMap(({ attribute, targets }) =>
      targets.length === 1
        ? [`populate[${attribute}]${ID}`]
        : targets.map((name) => `populate[${attribute}][on][${uidOf(name)}]${ID}`),
    ),
    ...embedded.flatMap(({ attribute, zone, components }) =>
      components.flatMap((uid) => {
        const at = zone ? `populate[${attribute}][on][${uid}]` : `populate[${attribute}]`;
        return partPopulate(uid).map((part) => `${at}${part}`);
      }),
    ),
    ...(localized ? ['populate[localizations][fields][0]=locale'] : []),
  ];
  return parts.join('&');
}

const countsOf = ({ sides }: Type): string =>
  [
    'fields[0]=documentId',
    ...sides.filter(({ one }) => !one).map(({ attribute }) => `populate[${attribute}][count]=true`),
  ].join('&');

const remembered = (make: (type: Type) => string): ((type: Type) => string) => {
  const known = new Map<Type, string>();
  return (type) => {
    const text = known.get(type) ?? make(type);
    known.set(type, text);
    return text;
  };
};

/** Populates all relations, components and locales of a type's documents. */
export const everything = remembered(populateOf);

/** Populates the number of links of each to-many relation. */
export const counts = remembered(countsOf);

/** A state and a locale, without default values. */
export function versionQuery(status: State, locale: string | null): string {
  const parts = [
    ...(status === 'draft' ? ['status=draft'] : []),
    ...(locale === null ? [] : [`locale=${locale}`]),
  ];
  return parts.join('&');
}

export const join = (...parts: readonly string[]): string => {
  const given = parts.filter((part) => part !== '');
  return given.length === 0 ? '' : `?${given.join('&')}`;
};
