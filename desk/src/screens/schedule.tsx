/** Times at which the server publishes and unpublishes a document in a language. */
import { Alert, Loader, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { DocumentEditor } from '../editor/document-editor.ts';
import { isStoredIn } from '../editor/requests.ts';
import { pauseOf, readSchedule, type Schedule, timesToSet, writeSchedule } from '../editor/schedule.ts';
import { useSnapshot } from '../editor/use-editor.ts';
import { inputOf, localZone } from '../model/local-time.ts';
import { Dialog } from '../parts/dialog.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { LaterTime } from '../parts/later-time.tsx';
import { failureText } from '../texts/reasons.ts';
import { useFormats, useTexts } from '../texts/texts.ts';

interface Props {
  readonly editor: DocumentEditor;
  readonly close: () => void;
}

const keyOf = ({ type, place }: DocumentEditor): readonly unknown[] => [
  'schedule',
  type.name,
  place.documentId,
  place.locale,
];

function useSchedule(editor: DocumentEditor) {
  const { state } = useSnapshot(editor);
  return useQuery({
    queryKey: keyOf(editor),
    queryFn: () => readSchedule(editor.place),
    // A time that is over goes.
    refetchInterval: ({ state: { data } }) => data !== undefined && pauseOf(data),
    enabled: 'schedule' in editor.type.verbs && isStoredIn(state, editor.place.locale),
  });
}

/** Times as a sentence below the title. */
export function ScheduleNote({ editor }: { readonly editor: DocumentEditor }) {
  const { panels } = useTexts();
  const { dateTime } = useFormats();
  const { data } = useSchedule(editor);
  if (data === undefined) return null;
  const { publishAt, unpublishAt, failures } = data;
  return (
    <>
      {publishAt !== null && <Text size="sm">{panels.publishesAt(dateTime(new Date(publishAt)))}</Text>}
      {unpublishAt !== null && <Text size="sm">{panels.unpublishesAt(dateTime(new Date(unpublishAt)))}</Text>}
      {failures.length > 0 && (
        <Text size="sm" c="red" role="alert">
          {panels.scheduleFailed}
        </Text>
      )}
    </>
  );
}

export default function ScheduleDialog({ editor, close }: Props) {
  const texts = useTexts();
  const { data, error } = useSchedule(editor);
  if (data !== undefined) return <Times {...{ editor, close }} schedule={data} />;
  return (
    <Dialog title={texts.panels.schedule} close={close}>
      {error === null ? (
        <Loader aria-label={texts.loading} />
      ) : (
        <Alert color="red">{failureText(error, texts)}</Alert>
      )}
    </Dialog>
  );
}

function Times({ editor, close, schedule }: Props & { readonly schedule: Schedule }) {
  const texts = useTexts();
  const { panels } = texts;
  const client = useQueryClient();
  // Null until the editor sets the time: what is stored is shown then, and stays.
  const [publishAt, setPublishAt] = useState<string | null>(null);
  const [unpublishAt, setUnpublishAt] = useState<string | null>(null);
  const submit = async (): Promise<void> => {
    // The server publishes the draft, so the form is saved first.
    if (!(await editor.save())) throw new Error(texts.refused);
    const times = timesToSet(schedule, { publishAt, unpublishAt });
    client.setQueryData(keyOf(editor), await writeSchedule(editor.place, times));
  };
  return (
    <FormDialog
      title={panels.schedule}
      label={panels.scheduleSave}
      close={close}
      values={[publishAt, unpublishAt]}
      message={panels.scheduled}
      submit={submit}
    >
      <Text size="sm">{panels.scheduleHint}</Text>
      <LaterTime
        label={panels.publishAt}
        stored={schedule.publishAt}
        value={publishAt ?? inputOf(schedule.publishAt)}
        setValue={setPublishAt}
      />
      <LaterTime
        label={panels.unpublishAt}
        stored={schedule.unpublishAt}
        value={unpublishAt ?? inputOf(schedule.unpublishAt)}
        setValue={setUnpublishAt}
      />
      <Text size="sm" c="dimmed">
        {texts.inZone(localZone())}
      </Text>
    </FormDialog>
  );
}
