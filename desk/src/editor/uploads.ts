import { request } from '../api/http.ts';
import { type Json, type Link, linkOf } from '../form/values.ts';
import type { Model } from '../model/model.ts';
import { settings } from '../settings.ts';

/** Stores one file in the library. Throws an ApiError. */
export async function upload(file: File, model: Model): Promise<Link> {
  const form = new FormData();
  form.append('files', file, file.name);
  const { body } = await request<readonly Json[]>(`${settings.api}/upload`, { method: 'POST', body: form });
  const [stored] = body;
  if (stored === undefined) throw new Error('The server stored no file');
  return linkOf(stored, 'file', model);
}
