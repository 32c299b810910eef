/** Actions on all languages of an open document. */
import type { DocumentEditor } from './document-editor.ts';
import { DocumentRequests, type Everywhere } from './requests.ts';

/** Languages in which an action changes a stored document. */
export function localesFor({ type, snapshot, place }: DocumentEditor, action: Everywhere): readonly string[] {
  const locales = snapshot.state?.locales ?? [];
  // An editor of one language cannot publish the others.
  if (!type.localized || locales.length < 2 || type.verbs[action] !== 'all') return [];
  const isDone = action === 'publish' ? 'published' : 'draft';
  return locales
    .filter(
      ({ locale, status }) =>
        status !== isDone || (action === 'publish' && snapshot.isChanged && locale === place.locale),
    )
    .map(({ locale }) => locale);
}

/** Saves the form, then acts on all languages or on none. Returns false if the save needs the editor. */
export async function actEverywhere(editor: DocumentEditor, action: Everywhere): Promise<boolean> {
  if (!(await editor.save())) return false;
  await editor.writes.settled();
  await new DocumentRequests(editor.model).actEverywhere(editor.place, action, crypto.randomUUID());
  return true;
}
