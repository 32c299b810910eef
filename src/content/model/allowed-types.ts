import type { MediaDefinition } from './definitions.js';
import type { Schema } from './model.js';

export type FileKind = NonNullable<MediaDefinition['allowedTypes']>[number];

/** Returns the file kind of a MIME type; anything except images, videos and audios is `files`. */
export function fileKindOf(mime: string): FileKind {
  const [family = ''] = mime.toLowerCase().split('/');
  return (['images', 'videos', 'audios'] as const).find((kind) => kind === `${family}s`) ?? 'files';
}

/**
 * Whether a file may change its kind: false if any media attribute accepts the old kind and not the new one.
 * Such an attribute may already link the file, or a concurrent request may link it.
 */
export const acceptsNewKind = ({ types, components }: Schema, from: FileKind, to: FileKind): boolean =>
  [...types.values(), ...components.values()]
    .flatMap(({ attributes }) => [...attributes.values()])
    .flatMap(({ def }) => (def.type === 'media' ? [def.allowedTypes] : []))
    .every((allowed) => allowed === undefined || !allowed.includes(from) || allowed.includes(to));
