/** Checks before the measurement that all peers respond alike. */
import { isDeepStrictEqual } from 'node:util';

/**
 * Members that may differ between peers: row ids, and the members of base rows that each peer's own seed
 * sets.
 */
const OWN = new Set(['id', 'locale', 'createdAt', 'updatedAt', 'publishedAt']);

/** Number of paths that are compared per shape. */
const SAMPLE = 50;

/** Throws if a peer's response to a path of a shape differs from the first peer's. `peers` are running. */
export async function checkAnswers(shape, peers) {
  const [first] = peers;
  for (let i = 0; i < shape.paths.length; i += Math.ceil(shape.paths.length / SAMPLE)) {
    const wanted = await body(first, shape, i);
    for (const peer of peers.slice(1)) {
      const given = await body(peer, shape, i);
      const same =
        peer.answers === 'same bytes'
          ? given === wanted
          : isDeepStrictEqual(comparable(given), comparable(wanted));
      if (!same)
        throw new Error(
          `${peer.title} responds to ${shape[peer.speaks][i]} unlike ${first.title}:\n${excerpt(given, wanted)}`,
        );
    }
  }
}

async function body(peer, shape, i) {
  const path = shape[peer.speaks][i];
  const response = await fetch(peer.server.url + path);
  const text = await response.text();
  if (response.status !== 200)
    throw new Error(`${peer.title} responds to ${path} with ${response.status}: ${text.slice(0, 500)}`);
  return text;
}

/**
 * Components have a `documentId` in the library and none in the reference. Components have a heading,
 * documents have none.
 */
function comparable(text) {
  return JSON.parse(text, (_key, value) => {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
    const kept = Object.entries(value).filter(
      ([name]) => !OWN.has(name) && !(name === 'documentId' && 'heading' in value),
    );
    return Object.fromEntries(kept);
  });
}

function excerpt(given, wanted) {
  let at = 0;
  while (at < given.length && given[at] === wanted[at]) at += 1;
  const show = (text) => text.slice(Math.max(0, at - 100), at + 200);
  return `actual:   …${show(given)}…\nexpected: …${show(wanted)}…`;
}
