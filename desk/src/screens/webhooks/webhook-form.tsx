/** Form of a webhook. */
import { Code, Group, MultiSelect, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useTexts } from '../../texts/texts.ts';
import { useModel } from '../app.tsx';
import { type Webhook, type WebhookInput } from './requests.ts';

interface Props {
  readonly title: string;
  /** Null for a new one. */
  readonly webhook: Webhook | null;
  readonly close: () => void;
  /** Sends what the editor has set. Throws an Error for what is refused. */
  readonly submit: (changes: Partial<WebhookInput>) => Promise<unknown>;
}

export function WebhookForm({ title, webhook, close, submit }: Props) {
  const texts = useTexts();
  const { types } = useModel();
  const [changes, setChanges] = useState<Partial<WebhookInput>>({});
  const input: WebhookInput = {
    name: webhook?.name ?? '',
    url: webhook?.url ?? '',
    events: webhook?.events ?? [],
    types: webhook?.types ?? [],
    ...changes,
  };
  const set = (change: Partial<WebhookInput>): void => setChanges({ ...changes, ...change });
  const label = webhook === null ? texts.webhooks.create : texts.save;
  return (
    <FormDialog
      title={title}
      label={label}
      close={close}
      values={input}
      message={webhook === null ? texts.persons.created(input.name) : texts.persons.saved}
      submit={() => submit(changes)}
    >
      <TextInput
        label={texts.webhooks.name}
        required
        value={input.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <TextInput
        label={texts.webhooks.address}
        description={texts.webhooks.addressHint}
        type="url"
        required
        value={input.url}
        onChange={(event) => set({ url: event.currentTarget.value })}
      />
      <MultiSelect
        label={texts.webhooks.events}
        placeholder={input.events.length === 0 ? texts.webhooks.all : ''}
        data={Object.entries(texts.webhooks.names).map(([value, text]) => ({ value, label: text }))}
        renderOption={({ option }) => (
          <Group gap="xs">
            <Text size="sm">{option.label}</Text>
            <Code>{option.value}</Code>
          </Group>
        )}
        value={[...input.events]}
        onChange={(events) => set({ events })}
      />
      <MultiSelect
        label={texts.webhooks.types}
        placeholder={input.types.length === 0 ? texts.webhooks.all : ''}
        data={types.map(({ name, label: text }) => ({ value: name, label: text }))}
        value={[...input.types]}
        onChange={(chosen) => set({ types: chosen })}
      />
    </FormDialog>
  );
}
