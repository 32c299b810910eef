/** Asks before a version is restored, and shows what the server refuses. */
import { Button, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog, DialogButtons } from '../../parts/dialog.tsx';
import { say, useAnnouncement } from '../../parts/messages.tsx';
import { useSending } from '../../parts/sending.tsx';
import { useFormats, useTexts } from '../../texts/texts.ts';
import { useModel } from '../app.tsx';
import { leftOutText } from './left-out.ts';
import { type FullVersion, restoreVersion, type Subject } from './requests.ts';

interface Props {
  readonly subject: Subject;
  readonly version: FullVersion;
  readonly close: () => void;
  /** Called with the language that has the restored content. */
  readonly restored: (locale: string | null) => void;
}

export function RestoreDialog({ subject, version, close, restored }: Props) {
  const texts = useTexts();
  const { history } = texts;
  const { locales } = useModel();
  const { dateTime } = useFormats();
  const client = useQueryClient();
  const { send, alert, isSending, isShown } = useSending();
  const { type } = subject;
  /** Sentence about values that were left out; null before, and for none. */
  const [missing, setMissing] = useState<string | null>(null);
  useAnnouncement(missing);
  const hasShared =
    type.localized && locales.length > 1 && type.attributes.some(({ localized }) => !localized);
  const finish = async (): Promise<void> => {
    await client.invalidateQueries({ queryKey: ['history', type.name] });
    restored(version.locale);
  };
  const restore = async (): Promise<void> => {
    let note = '';
    const isDone = await send(async () => {
      const left = await restoreVersion(subject, version.id);
      note = leftOutText(type, left, { gone: history.restoredWithout, kept: history.restoredExcept });
    });
    if (!isDone) return;
    if (note !== '' && isShown.current) return setMissing(note);
    say(note === '' ? history.restored : `${history.restored}. ${note}`);
    await finish();
  };
  if (missing !== null)
    return (
      <Dialog key="restored" title={history.restored} close={() => void finish()}>
        <Text size="sm">{missing}</Text>
        <Group justify="flex-end">
          <Button data-autofocus onClick={() => void finish()}>
            {texts.close}
          </Button>
        </Group>
      </Dialog>
    );
  return (
    <Dialog title={history.restoreTitle(dateTime(new Date(version.at)))} close={close}>
      {alert}
      <Text size="sm">{type.draftAndPublish ? history.restoreDraft : history.restorePublished}</Text>
      {hasShared && <Text size="sm">{history.shared}</Text>}
      <DialogButtons {...{ close, isSending }} label={history.restore} act={() => void restore()} />
    </Dialog>
  );
}
