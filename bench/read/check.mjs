/** Before anything is measured: do all peers answer the same? */
import { isDeepStrictEqual } from 'node:util';

/**
 * Members that peers may leave out or have of their own: row ids, and what base rows, made by each peer's own
 * seed, cannot share.
 */
const OWN = new Set(['id', 'locale', 'createdAt', 'updatedAt', 'publishedAt']);

/** Of the paths of a shape, this many are compared. */
const SAMPLE = 50;

/**
 * Throws when a peer's answer to a path of a shape is not as it should be. `peers` are running; the first one
 * sets the standard.
 */
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
          `${peer.title} answers ${shape[peer.speaks][i]} otherwise than ${first.title}:\n${excerpt(given, wanted)}`,
        );
    }
  }
}

async function body(peer, shape, i) {
  const path = shape[peer.speaks][i];
  const response = await fetch(peer.server.url + path);
  const text = await response.text();
  if (response.status !== 200)
    throw new Error(`${peer.title} answers ${path} with ${response.status}: ${text.slice(0, 500)}`);
  return text;
}

/**
 * Components have a `documentId` in the library and none in the reference; they hold a heading, documents do
 * not.
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
  return `given:  …${show(given)}…\nwanted: …${show(wanted)}…`;
}
