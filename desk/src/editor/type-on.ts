/** Verbs of an editor on one document. */
import { request } from '../api/http.ts';
import type { Type } from '../model/model.ts';
import { settings } from '../settings.ts';
import type { Place } from './requests.ts';

/** The type for an editor who may change one language only: values that all languages share are read. */
const ofOneLanguage = (type: Type): Type => ({
  ...type,
  attributes: type.attributes.map((one) =>
    one.localized ? one : { ...one, actions: one.actions.filter((action) => action !== 'update') },
  ),
});

/** The type with what the editor may do to one document. Grants may cover some documents only. */
export async function typeOn({ type, documentId, locale }: Place): Promise<Type> {
  if (!Object.values(type.verbs).includes('own')) return type;
  const query = { type: type.name, documentId: documentId ?? '', locale };
  try {
    const { body } = await request<{ data: Type['verbs'] }>(`${settings.base}/verbs`, { query });
    const permitted = { ...type, verbs: body.data };
    return type.localized && body.data['update'] === 'own' ? ofOneLanguage(permitted) : permitted;
  } catch {
    // The form says why the document cannot be opened.
    return type;
  }
}
