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
  readonly submit: (input: ReleaseInput) => Promise<unknown>;
}

export function ReleaseForm({ title, release, close, submit }: Props) {
  const texts = useTexts();
  const { releases } = texts;
  const [name, setName] = useState(release?.name ?? '');
  const [at, setAt] = useState(inputOf(release?.at ?? null));
  return (
    <FormDialog
      title={title}
      label={release === null ? releases.create : texts.save}
      close={close}
      values={[name, at]}
      message={release === null ? texts.persons.created(name) : texts.persons.saved}
      submit={() => submit({ name, at: timeOf(at, release?.at ?? null) })}
    >
      <TextInput
        label={releases.name}
        required
        maxLength={255}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <LaterTime
        label={releases.at}
        description={releases.atHint}
        stored={release?.at ?? null}
        value={at}
        setValue={setAt}
      />
      <Text size="sm" c="dimmed">
        {texts.inZone(localZone())}
      </Text>
    </FormDialog>
  );
}
