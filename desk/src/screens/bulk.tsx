/** Actions on several selected documents, one after the other, with a report of what was refused. */
import { Alert, Button, Group, Modal, Progress, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { messageOf } from '../api/errors.ts';
import { type Action, DocumentRequests } from '../editor/requests.ts';
import type { Type } from '../model/model.ts';
import { useTexts } from '../texts/texts.ts';
import { useModel } from './app.tsx';

interface Props {
  readonly type: Type;
  readonly locale: string;
  readonly selected: ReadonlyMap<string, string>;
  readonly clear: () => void;
}

type Verb = Extract<Action, 'publish' | 'unpublish'> | 'delete';

interface Report {
  readonly done: number;
  readonly failures: readonly (readonly [title: string, reason: string])[];
}

export function BulkBar({ type, locale, selected, clear }: Props) {
  const texts = useTexts();
  const model = useModel();
  const client = useQueryClient();
  const [asked, setAsked] = useState<Verb | null>(null);
  const [at, setAt] = useState<number | null>(null);
  const [report, setReport] = useState<Report | null>(null);
  const verbs = (['publish', 'unpublish', 'delete'] as const).filter((verb) => verb in type.verbs);
  const run = async (verb: Verb): Promise<void> => {
    setAsked(null);
    const requests = new DocumentRequests(model);
    const failures: (readonly [string, string])[] = [];
    let done = 0;
    for (const [documentId, title] of selected) {
      setAt(done + failures.length);
      const place = { type, documentId, locale };
      try {
        if (verb === 'delete') await requests.remove(place, true, null);
        else await requests.act(place, verb, { ifMatch: null, key: crypto.randomUUID() });
        done += 1;
      } catch (error) {
        failures.push([title, messageOf(error)]);
      }
    }
    setAt(null);
    setReport({ done, failures });
    clear();
    await client.invalidateQueries({ queryKey: ['list'] });
  };
  const labels: Readonly<Record<Verb, string>> = {
    publish: texts.publish,
    unpublish: texts.unpublish,
    delete: texts.delete,
  };
  return (
    <>
      {report !== null && (
        <Alert
          color={report.failures.length > 0 ? 'orange' : 'green'}
          withCloseButton
          closeButtonLabel={texts.close}
          onClose={() => setReport(null)}
          title={texts.bulkDone(report.done)}
          role="status"
        >
          {report.failures.map(([title, reason]) => (
            <Text key={title} size="sm">
              {texts.bulkFailed(title, reason)}
            </Text>
          ))}
        </Alert>
      )}
      {selected.size > 0 && verbs.length > 0 && (
        <Group gap="sm" role="region" aria-label={texts.selected(selected.size)}>
          <Text size="sm">{texts.selected(selected.size)}</Text>
          {verbs.map((verb) => (
            <Button
              key={verb}
              size="xs"
              variant="default"
              c={verb === 'delete' ? 'red' : undefined}
              onClick={() => setAsked(verb)}
            >
              {labels[verb]}
            </Button>
          ))}
        </Group>
      )}
      {at !== null && <Progress value={(100 * at) / Math.max(1, selected.size)} aria-label={texts.saving} />}
      <Modal
        opened={asked !== null}
        onClose={() => setAsked(null)}
        title={texts.selected(selected.size)}
        closeButtonProps={{ 'aria-label': texts.close }}
      >
        <Stack>
          {[...selected.values()].slice(0, 10).map((title, index) => (
            <Text key={index} size="sm">
              {title}
            </Text>
          ))}
          {selected.size > 10 && <Text size="sm">…</Text>}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setAsked(null)}>
              {texts.cancel}
            </Button>
            {asked !== null && (
              <Button color={asked === 'delete' ? 'red' : undefined} onClick={() => void run(asked)}>
                {labels[asked]}
              </Button>
            )}
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
