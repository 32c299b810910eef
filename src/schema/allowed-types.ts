/** Kinds of files that media attributes may take: `allowedTypes`. */
import type { MediaDefinition } from './definitions.js';
import type { Schema } from './model.js';

/** What `allowedTypes` tells apart. */
export type FileKind = NonNullable<MediaDefinition['allowedTypes']>[number];

/** The kind of a media type: what is no image, video or audio is one of the other `files`. */
export function fileKindOf(mime: string): FileKind {
  const [family = ''] = mime.toLowerCase().split('/');
  return (['images', 'videos', 'audios'] as const).find((kind) => kind === `${family}s`) ?? 'files';
}

/**
 * Whether files may come to be of another kind: not where any attribute of the model takes the one and not
 * the other, because it may be linked there by now, or be about to.
 */
export const mayBecome = ({ types, components }: Schema, from: FileKind, to: FileKind): boolean =>
  [...types.values(), ...components.values()]
    .flatMap(({ attributes }) => [...attributes.values()])
    .flatMap(({ def }) => (def.type === 'media' ? [def.allowedTypes] : []))
    .every((allowed) => allowed === undefined || !allowed.includes(from) || allowed.includes(to));
