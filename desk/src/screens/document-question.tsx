/** Question before a document is unpublished, deleted or loses its changes. */
import { Button, Text } from '@mantine/core';
import type { DocumentEditor } from '../editor/document-editor.ts';
import { isStoredIn } from '../editor/requests.ts';
import { useSnapshot } from '../editor/use-editor.ts';
import { titleOfValue } from '../form/values.ts';
import type { Type } from '../model/model.ts';
import { Dialog, DialogButtons } from '../parts/dialog.tsx';
import { say } from '../parts/messages.tsx';
import { useSending } from '../parts/sending.tsx';
import { isolated } from '../texts/isolated.ts';
import { type Texts, useFormats, useTexts } from '../texts/texts.ts';
import { DocumentUses } from './document-uses.tsx';

export type Asked = 'unpublish' | 'discard' | 'delete';

/** Says whether a deleted document can be restored. */
const deletionHint = ({ verbs }: Type, texts: Texts): string =>
  'trash' in verbs ? texts.history.toTrash : texts.confirmDeleteHint;

interface Props {
  readonly editor: DocumentEditor;
  readonly asked: Asked;
  readonly close: () => void;
  readonly deleted: () => void;
}

export function Question({ editor, asked, close, deleted }: Props) {
  const texts = useTexts();
  const { localeName } = useFormats();
  const { type, store } = editor;
  const { state } = useSnapshot(editor);
  const isStored = isStoredIn(state, editor.place.locale);
  const { isSending, alert, send } = useSending();
  const title = titleOfValue(store.get(type.title)) || texts.untitled;
  const questions = {
    unpublish: [texts.confirmUnpublish, texts.confirmUnpublishHint],
    discard: [texts.confirmDiscard, texts.confirmDiscardHint],
    delete: [texts.confirmDelete(isolated(title)), deletionHint(type, texts)],
  } as const;
  const [heading, hint] = questions[asked];
  const remove = async (everywhere: boolean): Promise<void> => {
    if (!(await send(() => editor.remove(everywhere)))) return;
    close();
    say(texts.deletedNow);
    deleted();
  };
  const act = async (action: 'unpublish' | 'discard'): Promise<void> => {
    close();
    const done = action === 'unpublish' ? texts.unpublishedNow : texts.discardedNow;
    if (await editor.act(action)) say(done);
  };
  const hasLocales = type.localized && (state?.locales ?? []).length > 1;
  const ofLocale = texts.deleteLocale(localeName(editor.place.locale));
  // An editor of one language cannot delete the others.
  const isWhole = asked !== 'delete' || !hasLocales || type.verbs['delete'] === 'all';
  const ofAll = type.localized && (hasLocales || !isStored) ? texts.deleteAll : texts.delete;
  const label = isWhole ? ofAll : ofLocale;
  return (
    <Dialog title={heading} close={close}>
      <Text size="sm">
        {hint} {asked !== 'delete' && hasLocales && texts.bulk.inLocale(localeName(editor.place.locale))}
      </Text>
      {asked === 'delete' && <DocumentUses {...{ editor, close }} isQuiet />}
      {alert}
      <DialogButtons
        close={close}
        label={asked === 'delete' ? label : texts[asked]}
        act={() => void (asked === 'delete' ? remove(isWhole) : act(asked))}
        isDangerous={asked !== 'unpublish'}
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
