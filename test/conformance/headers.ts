/** Compares the headers of a response with the recorded ones. */
import type { Difference } from './compare.ts';

type Values = string | readonly string[] | undefined;
export type Headers = Readonly<Record<string, Values>>;
type Same = (recorded: string, ours: string) => boolean;

const textOf = (values: Values): string | undefined =>
  typeof values === 'string' || values === undefined ? values : values.join(', ');

const itemsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[,;]/)
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .sort();

const equal: Same = (recorded, ours) => recorded === ours;

/** The same items in any order, letter case and spacing. */
const sameItems: Same = (recorded, ours) => itemsOf(recorded).join() === itemsOf(ours).join();

/** Methods of every route that a list may omit: HEAD of each GET, and OPTIONS. */
const UNSAID = ['head', 'options'];

const sameMethods: Same = (recorded, ours) => {
  const [theirs, own] = [recorded, ours].map((text) =>
    itemsOf(text).filter((method) => !UNSAID.includes(method)),
  );
  return theirs?.join() === own?.join();
};

/** A response may depend on more headers than the recorded one. */
const contains: Same = (recorded, ours) => itemsOf(recorded).every((item) => itemsOf(ours).includes(item));

/** Comparison of each header; other headers are not part of the protocol. */
const COMPARED: Readonly<Record<string, Same>> = {
  'content-type': sameItems,
  allow: sameMethods,
  vary: contains,
  location: equal,
  'access-control-allow-origin': equal,
  'access-control-allow-credentials': equal,
  'access-control-allow-methods': sameMethods,
  'access-control-allow-headers': sameItems,
  'access-control-expose-headers': sameItems,
  'access-control-max-age': equal,
};

/** Returns recorded headers that differ from ours; headers without a record are not compared. */
export function compareHeaders(recorded: Headers, ours: Headers): Difference[] {
  return Object.entries(recorded).flatMap(([header, values]) => {
    const name = header.toLowerCase();
    const [theirs, own] = [textOf(values), textOf(ours[name])];
    const same = COMPARED[name];
    if (same === undefined || theirs === undefined) return [];
    if (own !== undefined && same(theirs, own)) return [];
    return [{ path: `headers.${name}`, recorded: theirs, ours: own }];
  });
}
