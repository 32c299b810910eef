/** One webhook: its state, its latest attempts, and what can be sent again. */
import {
  ActionIcon,
  Alert,
  Button,
  Group,
  SimpleGrid,
  Switch,
  Table,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useChanges } from '../../parts/changes.ts';
import {
  FormDialog,
  type Question,
  QuestionDialog,
  type Secret,
  SecretDialog,
} from '../../parts/form-dialog.tsx';
import { localZone } from '../../model/local-time.ts';
import { Frame } from '../../parts/frame.tsx';
import { say } from '../../parts/messages.tsx';
import { useShown } from '../../parts/shown.ts';
import { reasonText } from '../../texts/reasons.ts';
import type { Texts } from '../../texts/en.ts';
import { useFormats, useTexts } from '../../texts/texts.ts';
import { useModel } from '../app.tsx';
import {
  changeWebhook,
  deleteWebhook,
  enableWebhook,
  eventName,
  replayEvents,
  rotateSecret,
  switchWebhook,
  testWebhook,
  useAttempts,
  useWebhook,
  type Webhook,
} from './requests.ts';
import { StateBadge } from './state-badge.tsx';
import { WebhookForm } from './webhook-form.tsx';

export function WebhookScreen({ id }: { readonly id: string }) {
  const { webhooks: texts } = useTexts();
  const { webhooks: verbs } = useModel();
  const { data, error, isLoading, refetch } = useWebhook(id);
  return (
    <Frame
      title={data?.name ?? texts.title}
      way={[{ href: '/webhooks', label: texts.title }]}
      isLoading={isLoading}
      error={error}
      retry={() => void refetch()}
    >
      {data !== undefined && (
        <>
          <Health webhook={data} />
          {verbs.includes('update') && <Actions webhook={data} />}
          <Attempts webhook={data} />
        </>
      )}
    </Frame>
  );
}

function Health({ webhook }: { readonly webhook: Webhook }) {
  const all = useTexts();
  const { webhooks: texts } = all;
  const model = useModel();
  const { dateTime, number } = useFormats();
  const { url, disabled, failingSince, inCode, events, types } = webhook;
  const facts: readonly (readonly [string, string])[] = [
    [texts.address, url],
    [
      texts.events,
      events?.map((code) => `${eventName(texts.names, code)} (${code})`).join(', ') ?? texts.all,
    ],
    [texts.types, types?.map((name) => model.type(name)?.label ?? name).join(', ') ?? texts.all],
    [texts.lag, number(webhook.lag)],
    [texts.pending, number(webhook.pending)],
    [texts.failed, number(webhook.failed)],
  ];
  return (
    <>
      <Group>
        <StateBadge webhook={webhook} />
        {inCode && <Text size="sm">{texts.inCode}</Text>}
      </Group>
      {disabled !== null && <Alert color="orange">{texts.disabledBecause(reasonText(disabled, all))}</Alert>}
      {disabled === null && failingSince !== null && (
        <Alert color="orange">{texts.failingSince(dateTime(new Date(failingSince)))}</Alert>
      )}
      <SimpleGrid cols={{ base: 2, sm: 3 }} component="dl" m={0}>
        {facts.map(([label, value]) => (
          <div key={label}>
            <Text size="xs" c="dimmed" component="dt">
              {label}
            </Text>
            <Text size="sm" component="dd" m={0} style={{ overflowWrap: 'anywhere' }}>
              {value}
            </Text>
          </div>
        ))}
      </SimpleGrid>
    </>
  );
}

/** Result of a test event: the status of the response; null without a response. */
const outcomeText = (status: number | null, { tested, unreachable }: Texts['webhooks']): string =>
  status === null ? unreachable : tested(String(status));

function Actions({ webhook }: { readonly webhook: Webhook }) {
  const { delete: remove, deletedNow, persons, webhooks: texts } = useTexts();
  const { webhooks: verbs } = useModel();
  const [, navigate] = useLocation();
  const { send, alert, isSending } = useChanges();
  const [asked, setAsked] = useState<'change' | 'since' | null>(null);
  const [question, setQuestion] = useState<Question | null>(null);
  const isShown = useShown();
  const [secret, setSecret] = useState<Secret | null>(null);
  const { id, name, inCode, failed, disabled, enabled } = webhook;
  const run = (work: () => Promise<string>): void => void send(async () => say(await work()));
  const test = async (): Promise<string> => outcomeText(await testWebhook(id), texts);
  const rotate = async (): Promise<void> => {
    const text = await rotateSecret(id);
    setSecret({ title: texts.secretOf(name), label: texts.secret, hint: texts.secretHint, text });
  };
  const { rotateTitle, rotateHint, deleteTitle, deleteHint } = texts;
  const rotation = {
    title: rotateTitle(name),
    hint: rotateHint,
    label: texts.rotate,
    done: persons.secretMade,
    work: rotate,
  };
  return (
    <>
      {alert}
      <Group gap="xs">
        <Button size="xs" loading={isSending} onClick={() => run(test)}>
          {texts.test}
        </Button>
        {failed > 0 && (
          <Button
            size="xs"
            variant="default"
            onClick={() => run(async () => texts.replayed(await replayEvents(id, {})))}
          >
            {texts.replayFailed}
          </Button>
        )}
        <Button size="xs" variant="default" onClick={() => setAsked('since')}>
          {texts.replaySince}
        </Button>
        {disabled !== null && (
          <Button size="xs" variant="default" onClick={() => void send(() => enableWebhook(id))}>
            {texts.enable}
          </Button>
        )}
        {!inCode && (
          <>
            <Button size="xs" variant="default" onClick={() => setAsked('change')}>
              {texts.edit}
            </Button>
            <Button size="xs" variant="default" onClick={() => setQuestion(rotation)}>
              {texts.rotate}
            </Button>
            <Switch
              label={texts.enabled}
              checked={enabled}
              onChange={(event) => {
                const { checked } = event.currentTarget;
                run(() => switchWebhook(id, checked).then(() => persons.saved));
              }}
            />
          </>
        )}
        {!inCode && verbs.includes('delete') && (
          <Button
            size="xs"
            variant="default"
            c="red"
            onClick={() =>
              setQuestion({
                title: deleteTitle(name),
                hint: deleteHint,
                label: remove,
                done: deletedNow,
                work: () => deleteWebhook(id).then(() => void (isShown.current && navigate('/webhooks'))),
              })
            }
          >
            {remove}
          </Button>
        )}
      </Group>
      {asked === 'since' && <SinceDialog id={id} close={() => setAsked(null)} />}
      {asked === 'change' && (
        <WebhookForm
          title={texts.change(name)}
          webhook={webhook}
          close={() => setAsked(null)}
          submit={(input) => changeWebhook(id, input)}
        />
      )}
      {question !== null && <QuestionDialog question={question} close={() => setQuestion(null)} />}
      {secret !== null && <SecretDialog secret={secret} close={() => setSecret(null)} />}
    </>
  );
}

function SinceDialog({ id, close }: { readonly id: string; readonly close: () => void }) {
  const { inZone, webhooks: texts } = useTexts();
  const [since, setSince] = useState('');
  const submit = async (): Promise<void> =>
    say(texts.replayed(await replayEvents(id, { since: new Date(since).toISOString() })));
  return (
    <FormDialog title={texts.replaySince} label={texts.replay} close={close} values={since} submit={submit}>
      <TextInput
        type="datetime-local"
        label={texts.since}
        description={inZone(localZone())}
        required
        value={since}
        onChange={(event) => setSince(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

function Attempts({ webhook: { id } }: { readonly webhook: Webhook }) {
  const all = useTexts();
  const { webhooks: texts } = all;
  const { webhooks: verbs } = useModel();
  const { dateTime, number } = useFormats();
  const { data } = useAttempts(id);
  const { send, alert } = useChanges();
  const replay = (event: string): void =>
    void send(async () => say(texts.replayed(await replayEvents(id, { event }))));
  return (
    <>
      <Title order={2} size="h4">
        {texts.attempts}
      </Title>
      {alert}
      {data?.length === 0 && <Text size="sm">{texts.noAttempts}</Text>}
      {data !== undefined && data.length > 0 && (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.event}</Table.Th>
              <Table.Th>{texts.at}</Table.Th>
              <Table.Th>{texts.answer}</Table.Th>
              <Table.Th className="desk-wide">{texts.duration}</Table.Th>
              <Table.Th w={56} aria-label={texts.replay} />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.map(({ event, at, status, milliseconds, failure }, index) => (
              <Table.Tr key={`${event} ${at} ${index}`}>
                <Table.Td style={{ whiteSpace: 'nowrap' }}>{event}</Table.Td>
                <Table.Td>{dateTime(new Date(at))}</Table.Td>
                <Table.Td className="desk-title">
                  {failure === null ? status : reasonText(failure, all)}
                </Table.Td>
                <Table.Td className="desk-wide">{texts.milliseconds(number(milliseconds))}</Table.Td>
                <Table.Td>
                  {verbs.includes('update') && failure !== null && event.startsWith('evt_') && (
                    <ActionIcon
                      variant="subtle"
                      aria-label={texts.replayOne(event)}
                      onClick={() => replay(event)}
                    >
                      <IconRefresh size={16} />
                    </ActionIcon>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </>
  );
}
