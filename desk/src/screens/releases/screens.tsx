/** Releases: documents that are published together, planned ones first. */
import { Anchor, Button, Table, Text, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';
import { EmptyList } from '../../parts/empty-list.tsx';
import { Frame } from '../../parts/frame.tsx';
import { useShown } from '../../parts/shown.ts';
import { isolated } from '../../texts/isolated.ts';
import { useFormats, useTexts } from '../../texts/texts.ts';
import { ReleaseForm } from './release-form.tsx';
import { ReleaseScreen } from './release.tsx';
import { createRelease, type Release, usePast, usePlanned } from './requests.ts';
import { ReleaseBadge } from './state-badge.tsx';

export default function ReleasesScreens() {
  return (
    <Switch>
      <Route path="/releases">
        <ReleasesScreen />
      </Route>
      <Route path="/releases/:id">{({ id }) => <ReleaseScreen key={id} id={decodeURIComponent(id)} />}</Route>
    </Switch>
  );
}

function ReleasesScreen() {
  const { releases: texts } = useTexts();
  const [, navigate] = useLocation();
  const planned = usePlanned();
  const past = usePast();
  const [isCreating, setCreating] = useState(false);
  const isShown = useShown();
  const lists = [
    [texts.planned, planned.data ?? []],
    [texts.past, past.data ?? []],
  ] as const;
  const isEmpty = planned.data?.length === 0 && past.data?.length === 0;
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
      {texts.create}
    </Button>
  );
  return (
    <Frame
      title={texts.title}
      isLoading={planned.isLoading || past.isLoading}
      error={planned.error ?? past.error}
      retry={() => {
        void planned.refetch();
        void past.refetch();
      }}
      tools={!isEmpty && create}
    >
      <Text size="sm" c="dimmed">
        {texts.hint}
      </Text>
      {isEmpty && (
        <EmptyList text={texts.none} hint={texts.noneHint}>
          {create}
        </EmptyList>
      )}
      {lists
        .filter(([, releases]) => releases.length > 0)
        .map(([title, releases]) => (
          <section key={title}>
            <Title order={2} size="h4" mb="xs">
              {title}
            </Title>
            <ReleaseTable label={title} releases={releases} />
          </section>
        ))}
      {isCreating && (
        <ReleaseForm
          title={texts.create}
          release={null}
          close={() => setCreating(false)}
          submit={async (input) => {
            const { id } = await createRelease(input);
            if (isShown.current) navigate(`/releases/${id}`);
          }}
        />
      )}
    </Frame>
  );
}

interface TableProps {
  readonly label: string;
  readonly releases: readonly Release[];
}

function ReleaseTable({ label, releases }: TableProps) {
  const { releases: texts } = useTexts();
  const { dateTime, number } = useFormats();
  return (
    <Table verticalSpacing="sm" aria-label={label}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{texts.name}</Table.Th>
          <Table.Th w={150}>{texts.state}</Table.Th>
          <Table.Th w={220} className="desk-wide">
            {texts.when}
          </Table.Th>
          <Table.Th w={130} className="desk-wide">
            {texts.size}
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {releases.map((release) => {
          const time = release.releasedAt ?? release.at;
          const when = time === null ? texts.notYet : dateTime(new Date(time));
          return (
            <Table.Tr key={release.id}>
              <Table.Td className="desk-title">
                <Anchor component={Link} href={`/releases/${release.id}`} size="sm" fw={500}>
                  {isolated(release.name)}
                </Anchor>
                <Text size="xs" c="dimmed" hiddenFrom="sm">
                  {when}
                </Text>
              </Table.Td>
              <Table.Td>
                <ReleaseBadge state={release.state} />
              </Table.Td>
              <Table.Td className="desk-wide">{when}</Table.Td>
              <Table.Td className="desk-wide">{number(release.size)}</Table.Td>
            </Table.Tr>
          );
        })}
      </Table.Tbody>
    </Table>
  );
}
