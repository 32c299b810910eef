/** Addresses and marks of links. */
import type { Mark } from 'prosemirror-model';
import type { EditorState } from 'prosemirror-state';
import { schema } from './schema.ts';

const { marks } = schema;

/** Returns an address as a link stores it; null for what is no link that the API accepts. */
export function linkable(address: string): string | null {
  const url = address.trim();
  if (/^(?:mailto|tel):\S+$/i.test(url) || /^[/#]\S*$/.test(url)) return url;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return null;
  const { href, hostname } = new URL(url);
  return hostname === '' ? null : href;
}

export const isLinkable = (address: string): boolean => linkable(address) !== null;

/** Link at the cursor or in the selection. */
export function linkAt({ selection, doc }: EditorState): Mark | null {
  const { $from, from, to, empty } = selection;
  let found = marks.link.isInSet($from.marks()) ?? null;
  if (!empty)
    doc.nodesBetween(from, to, ({ marks: set }) => {
      found ??= marks.link.isInSet(set) ?? null;
    });
  return found;
}
