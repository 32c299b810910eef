/** Releases: documents that are published together, planned ones first. */
import { Anchor, Button, Table, Text, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';
import { EmptyList } from '../../parts/empty-list.tsx';
import { Frame } from '../../parts/frame.tsx';
import { useLastPage } from '../../parts/last-page.ts';
import { PageLinks } from '../../parts/page-links.tsx';
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
  const [plannedPage, setPlannedPage] = useState(1);
  const [pastPage, setPastPage] = useState(1);
  const planned = usePlanned(plannedPage);
  const past = usePast(pastPage);
  const [isCreating, setCreating] = useState(false);
  const isShown = useShown();
  const isEmpty = planned.data?.data.length === 0 && past.data?.data.length === 0;
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
      <ReleaseList title={texts.planned} list={planned} page={plannedPage} open={setPlannedPage} />
      <ReleaseList title={texts.past} list={past} page={pastPage} open={setPastPage} />
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

interface ListProps {
  readonly title: string;
  readonly list: ReturnType<typeof usePast>;
  readonly page: number;
  readonly open: (page: number) => void;
}

function ReleaseList({ title, list: { data: list, isPlaceholderData }, page, open }: ListProps) {
  const pageCount = list?.meta.pagination.pageCount;
  useLastPage(page, isPlaceholderData ? undefined : pageCount, open);
  if (list === undefined || list.data.length === 0) return null;
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        {title}
      </Title>
      <ReleaseTable label={title} releases={list.data} />
      {pageCount !== undefined && pageCount > 1 && <PageLinks total={pageCount} {...{ page, open }} />}
    </section>
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
