import { Text } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { leaving } from '../editor/leaving.ts';
import { useTexts } from '../texts/texts.ts';
import { Dialog, DialogButtons } from './dialog.tsx';

/** Asks whether to leave a page or a form with work under way. */
export function LeaveQuestion() {
  const texts = useTexts();
  const { asked } = useSyncExternalStore(leaving.subscribe, leaving.current);
  if (asked === null) return null;
  const { title, hint } = texts.leaving[asked.kind];
  return (
    <Dialog title={title} close={leaving.stay}>
      <Text size="sm">{hint}</Text>
      <DialogButtons close={leaving.stay} label={texts.leaving.leave} act={asked.leave} isDangerous />
    </Dialog>
  );
}
