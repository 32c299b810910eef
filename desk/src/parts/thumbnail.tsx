import { IconFile } from '@tabler/icons-react';
import { type Json, textOfValue } from '../form/values.ts';

/** Address of a small form of a picture, or of the picture itself; null for other files. */
export function pictureOf(file: Json): string | null {
  if (!textOfValue(file['mime']).startsWith('image/')) return null;
  const formats = (file['formats'] ?? {}) as Readonly<Record<string, { readonly url?: string }>>;
  return formats['thumbnail']?.url ?? formats['small']?.url ?? (file['url'] as string | undefined) ?? null;
}

export function Thumbnail({ file }: { readonly file: Json }) {
  const address = pictureOf(file);
  const name = textOfValue(file['alternativeText']) || textOfValue(file['name']);
  if (address === null) return <IconFile size={32} aria-label={name} role="img" />;
  return <img className="desk-thumb" src={address} alt={name} loading="lazy" />;
}
