/** Constraints that published versions meet, for the fuzzer of rights. */
import { hasDrafts, isConstrained, type Version } from './rights-model.ts';

/** Values that break a constraint of their version. */
function brokenIn({ title, topic, parts }: Version): string[] {
  return [
    ...(title === null ? ['no title'] : []),
    ...(topic === null ? ['no topic'] : []),
    ...(parts.length === 0 ? ['no part'] : []),
    ...parts.filter((text) => text !== 'p').map((text) => `part "${text}"`),
  ];
}

/** Values that must be unique among the published versions of a locale. */
const uniqueIn = ({ type, locale, title, topic }: Version): string[] => [
  `${type} ${locale} title ${title}`,
  `${type} ${locale} topic ${topic}`,
];

/** Returns what published versions have, although their type does not permit it. */
export function brokenConstraints(versions: readonly Version[]): string[] {
  const bound = versions.filter(
    ({ type, published }) => isConstrained(type) && (published || !hasDrafts(type)),
  );
  const values = bound.flatMap(uniqueIn);
  return [
    ...bound.flatMap((version) => brokenIn(version).map((what) => `${what} in ${JSON.stringify(version)}`)),
    ...values.filter((value, i) => values.indexOf(value) !== i).map((value) => `twice: ${value}`),
  ];
}
