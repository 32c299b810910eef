/** Name and time of a release. */
import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { inputOf, localZone, timeOf } from '../../model/local-time.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { LaterTime } from '../../parts/later-time.tsx';
import { useTexts } from '../../texts/texts.ts';
import type { Release, ReleaseInput } from './requests.ts';

interface Props {
  readonly title: string;
  /** Null for a new one. */
  readonly release: Pick<Release, 'name' | 'at'> | null;
  readonly close: () => void;
  /** Sends the form. Throws an Error for what is refused. */
  readonly submit: (input: Partial<ReleaseInput>) => Promise<unknown>;
}

export function ReleaseForm({ title, release, close, submit }: Props) {
  const texts = useTexts();
  const { releases } = texts;
  const stored = release?.at ?? null;
  // Only what the editor sets is sent. The time of a failed release would be due again.
  const [input, setInput] = useState<{ readonly name?: string; readonly at?: string }>({});
  const { name = release?.name ?? '', at = inputOf(stored) } = input;
  const change = (next: typeof input): void => setInput({ ...input, ...next });
  const send = (): Promise<unknown> =>
    submit({ ...input, ...(input.at === undefined ? {} : { at: timeOf(input.at, stored) }) });
  return (
    <FormDialog
      title={title}
      label={release === null ? releases.create : texts.save}
      close={close}
      values={[name, at]}
      message={release === null ? texts.persons.created(name) : texts.persons.saved}
      submit={send}
    >
      <TextInput
        label={releases.name}
        required
        maxLength={255}
        value={name}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <LaterTime
        label={releases.at}
        description={releases.atHint}
        stored={stored}
        value={at}
        setValue={(value) => change({ at: value })}
      />
      <Text size="sm" c="dimmed">
        {texts.inZone(localZone())}
      </Text>
    </FormDialog>
  );
}
