/** Webhooks: where events are sent, how that goes, and what is sent again. */
import { Anchor, Button, Table, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, Route, Switch } from 'wouter';
import { EmptyList } from '../../parts/empty-list.tsx';
import { type Secret, SecretDialog } from '../../parts/form-dialog.tsx';
import { Frame } from '../../parts/frame.tsx';
import { useTexts } from '../../texts/texts.ts';
import { useModel } from '../app.tsx';
import { createWebhook, useWebhooks, type Webhook } from './requests.ts';
import { StateBadge } from './state-badge.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookScreen } from './webhook.tsx';

export default function WebhooksScreens() {
  return (
    <Switch>
      <Route path="/webhooks">
        <WebhooksScreen />
      </Route>
      <Route path="/webhooks/:id">{({ id }) => <WebhookScreen key={id} id={decodeURIComponent(id)} />}</Route>
    </Switch>
  );
}

function WebhooksScreen() {
  const { webhooks: texts } = useTexts();
  const { webhooks: verbs } = useModel();
  const { data, error, isLoading, refetch } = useWebhooks();
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<Secret | null>(null);
  const create = verbs.includes('create') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
      {texts.create}
    </Button>
  );
  return (
    <Frame
      title={texts.title}
      isLoading={isLoading}
      error={error}
      retry={() => void refetch()}
      tools={data?.length !== 0 && create}
    >
      {data?.length === 0 && (
        <EmptyList text={texts.none} hint={texts.noneHint}>
          {create}
        </EmptyList>
      )}
      {data !== undefined && data.length > 0 && <WebhookTable webhooks={data} />}
      {isCreating && (
        <WebhookForm
          title={texts.create}
          webhook={null}
          close={() => setCreating(false)}
          submit={async (input) => {
            const text = await createWebhook(input);
            const { secret: label, secretHint: hint, secretOf } = texts;
            setSecret({ title: secretOf(input.name ?? ''), label, hint, text });
          }}
        />
      )}
      {secret !== null && <SecretDialog secret={secret} close={() => setSecret(null)} />}
    </Frame>
  );
}

function WebhookTable({ webhooks }: { readonly webhooks: readonly Webhook[] }) {
  const { webhooks: texts } = useTexts();
  const { webhooks: verbs } = useModel();
  return (
    <Table verticalSpacing="sm">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{texts.name}</Table.Th>
          <Table.Th>{texts.state}</Table.Th>
          <Table.Th className="desk-wide">{texts.lag}</Table.Th>
          <Table.Th className="desk-wide">{texts.pending}</Table.Th>
          <Table.Th className="desk-wide">{texts.failed}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {webhooks.map((webhook) => (
          <Table.Tr key={webhook.id}>
            <Table.Td className="desk-title">
              {verbs.includes('findOne') ? (
                <Anchor component={Link} href={`/webhooks/${encodeURIComponent(webhook.id)}`} fw={500}>
                  {webhook.name}
                </Anchor>
              ) : (
                <Text fw={500}>{webhook.name}</Text>
              )}
              <Text size="sm" c="dimmed">
                {webhook.url}
              </Text>
              {webhook.pending > 0 && (
                <Text size="sm" hiddenFrom="sm">
                  {texts.pending}: {webhook.pending}
                </Text>
              )}
              {webhook.failed > 0 && (
                <Text size="sm" hiddenFrom="sm">
                  {texts.failed}: {webhook.failed}
                </Text>
              )}
            </Table.Td>
            <Table.Td>
              <StateBadge webhook={webhook} />
            </Table.Td>
            <Table.Td className="desk-wide">{webhook.lag}</Table.Td>
            <Table.Td className="desk-wide">{webhook.pending}</Table.Td>
            <Table.Td className="desk-wide">{webhook.failed}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
