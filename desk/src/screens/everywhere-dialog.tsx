/** Question before all languages of a document are published or unpublished. */
import { Text } from '@mantine/core';
import { useState } from 'react';
import { ApiError } from '../api/errors.ts';
import type { DocumentEditor } from '../editor/document-editor.ts';
import { actEverywhere, localesFor } from '../editor/everywhere.ts';
import type { Everywhere } from '../editor/requests.ts';
import { Dialog, DialogButtons } from '../parts/dialog.tsx';
import { say } from '../parts/messages.tsx';
import { useSending } from '../parts/sending.tsx';
import { reasonText } from '../texts/reasons.ts';
import { useFormats, useTexts } from '../texts/texts.ts';
import { gapsOf } from './document-question.tsx';

interface Props {
  readonly editor: DocumentEditor;
  readonly action: Everywhere;
  readonly close: () => void;
}

export function EverywhereDialog({ editor, action, close }: Props) {
  const texts = useTexts();
  const { panels } = texts;
  const { localeName } = useFormats();
  const { send, alert, isSending, isShown } = useSending();
  // The list stays while the documents change.
  const [locales] = useState(() => localesFor(editor, action));
  const gaps = action === 'publish' ? gapsOf(editor) : [];
  const label = action === 'publish' ? panels.publishAll : panels.unpublishAll;
  /** Names the language and the field of a problem, which this form does not show. */
  const named = (error: unknown): unknown => {
    const [problem] = error instanceof ApiError ? error.problems : [];
    if (!(error instanceof ApiError) || error.locale === null || problem === undefined) return error;
    const [name] = problem.path;
    const field = editor.type.attributes.find((one) => one.name === name)?.label ?? String(name);
    const reason = reasonText(problem.message, texts);
    return new Error(panels.inLocale(localeName(error.locale), field, reason));
  };
  const act = async (): Promise<void> => {
    let isSaved = false;
    const isDone = await send(async () => {
      isSaved = await actEverywhere(editor, action).catch((error: unknown) => {
        throw named(error);
      });
    });
    if (!isDone) return;
    if (isShown.current) close();
    if (isSaved) say(action === 'publish' ? texts.publishedNow : texts.unpublishedNow);
  };
  return (
    <Dialog title={label} close={close}>
      <Text size="sm">{panels.everywhereHint(locales.map(localeName).join(', '))}</Text>
      {gaps.length > 0 && <Text size="sm">{panels.incompleteHint(gaps.join(', '))}</Text>}
      {alert}
      <DialogButtons {...{ close, label, isSending }} act={() => void act()} />
    </Dialog>
  );
}
