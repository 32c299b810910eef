/** Question before a document is published with gaps, unpublished, deleted or loses its changes. */
import { Button, Text } from '@mantine/core';
import type { DocumentEditor } from '../editor/document-editor.ts';
import { isStoredIn } from '../editor/requests.ts';
import { useSnapshot } from '../editor/use-editor.ts';
import { emptyLinks } from '../form/empty-links.ts';
import { titleOfValue } from '../form/values.ts';
import type { Type } from '../model/model.ts';
import { Dialog, DialogButtons } from '../parts/dialog.tsx';
import { say } from '../parts/messages.tsx';
import { useSending } from '../parts/sending.tsx';
import { isolated } from '../texts/isolated.ts';
import { type Texts, useFormats, useTexts } from '../texts/texts.ts';
import { DocumentUses } from './document-uses.tsx';

export type Asked = 'publish' | 'unpublish' | 'discard' | 'delete';

/** Labels of required fields without a link, if the API publishes without them. */
export const gapsOf = ({ type, store, model }: DocumentEditor): readonly string[] =>
  model.strictRelations ? [] : emptyLinks(type, store.values, model);

/** Says whether a deleted document can be restored. */
const deletionHint = ({ verbs }: Type, texts: Texts): string =>
  'trash' in verbs ? texts.history.toTrash : texts.confirmDeleteHint;

interface Props {
  readonly editor: DocumentEditor;
  readonly asked: Asked;
  readonly close: () => void;
  readonly deleted: () => void;
  readonly publish: () => Promise<void>;
}

export function Question({ editor, asked, close, deleted, publish }: Props) {
  const texts = useTexts();
  const { localeName } = useFormats();
  const { type, store } = editor;
  const { state } = useSnapshot(editor);
  const isStored = isStoredIn(state, editor.place.locale);
  const { isSending, alert, send, isShown } = useSending();
  const title = titleOfValue(store.get(type.title)) || texts.untitled;
  const questions = {
    publish: [texts.panels.incomplete, texts.panels.incompleteHint(gapsOf(editor).map(isolated).join(', '))],
    unpublish: [texts.confirmUnpublish, texts.confirmUnpublishHint],
    discard: [texts.confirmDiscard, texts.confirmDiscardHint],
    delete: [texts.confirmDelete(isolated(title)), deletionHint(type, texts)],
  } as const;
  const [heading, hint] = questions[asked];
  const remove = async (everywhere: boolean): Promise<void> => {
    // The form shows the change of another editor. The document can then be deleted.
    if (!(await send(() => editor.remove(everywhere)))) return editor.catchUp();
    if (isShown.current) close();
    say(texts.deletedNow);
    deleted();
  };
  const act = async (action: Exclude<Asked, 'delete'>): Promise<void> => {
    close();
    if (action === 'publish') return publish();
    const done = action === 'unpublish' ? texts.unpublishedNow : texts.discardedNow;
    if (await editor.act(action)) say(done);
  };
  const hasLocales = type.localized && (state?.locales ?? []).length > 1;
  const ofLocale = texts.deleteLocale(localeName(editor.place.locale));
  // An editor of one language cannot delete the others.
  const isWhole = asked !== 'delete' || !hasLocales || type.verbs['delete'] === 'all';
  const ofAll = type.localized && (hasLocales || !isStored) ? texts.deleteAll : texts.delete;
  const labels: Readonly<Record<Asked, string>> = {
    publish: texts.panels.publishAnyway,
    unpublish: texts.unpublish,
    discard: texts.discard,
    delete: isWhole ? ofAll : ofLocale,
  };
  return (
    <Dialog title={heading} close={close}>
      <Text size="sm">
        {hint}{' '}
        {!['delete', 'publish'].includes(asked) &&
          hasLocales &&
          texts.bulk.inLocale(localeName(editor.place.locale))}
      </Text>
      {asked === 'delete' && <DocumentUses {...{ editor, close }} isQuiet />}
      {alert}
      <DialogButtons
        close={close}
        label={labels[asked]}
        act={() => void (asked === 'delete' ? remove(isWhole) : act(asked))}
        isDangerous={asked === 'discard' || asked === 'delete'}
        isSending={isSending}
      >
        {asked === 'delete' && hasLocales && isStored && isWhole && (
          <Button color="red.9" variant="outline" disabled={isSending} onClick={() => void remove(false)}>
            {ofLocale}
          </Button>
        )}
      </DialogButtons>
    </Dialog>
  );
}
