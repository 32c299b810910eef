/** Audit log: who changed what, and who signed in, newest first. */
import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDownload } from '@tabler/icons-react';
import { useId, useMemo } from 'react';
import { Link, useSearchParams } from 'wouter';
import {
  type AuditEntry,
  type AuditFilters,
  type AuditRun,
  csvLine,
  daysOf,
  readFilters,
  runsOf,
  writeFilters,
} from '../../model/audit-list.ts';
import { localZone } from '../../model/local-time.ts';
import { EmptyList } from '../../parts/empty-list.tsx';
import { Frame } from '../../parts/frame.tsx';
import { say } from '../../parts/messages.tsx';
import { useSending } from '../../parts/sending.tsx';
import { useFormats, useTexts } from '../../texts/texts.ts';
import { useModel } from '../app.tsx';
import { AuditFilterBar } from './filters.tsx';
import { allNames, MAX_EXPORTED, type Named, readAll, useEntries, useNamed } from './requests.ts';
import { attributesText, callerText, EntrySentence, trashOf, versionsOf } from './sentence.tsx';

export default function AuditScreen() {
  const texts = useTexts();
  const { audit } = texts;
  const [address, setAddress] = useSearchParams();
  const filters = readFilters(address);
  const list = useEntries(filters);
  const entries = useMemo(() => list.data?.pages.flatMap(({ data }) => data) ?? [], [list.data]);
  const named = useNamed(entries);
  const days = useMemo(() => daysOf(runsOf(entries)), [entries]);
  const isFiltered = Object.values(filters).some((value) => value !== '');
  return (
    <Frame
      title={audit.title}
      isLoading={list.isFetching}
      error={list.error}
      retry={() => void list.refetch()}
      tools={entries.length > 0 && <Export {...{ filters, named }} />}
    >
      <Text size="sm" c="dimmed">
        {audit.hint} {texts.inZone(localZone())}
      </Text>
      <AuditFilterBar
        {...{ filters, entries, named }}
        change={(change) => setAddress(writeFilters({ ...filters, ...change }), { replace: true })}
      />
      {list.isSuccess && entries.length === 0 && (
        <EmptyList text={isFiltered ? audit.noMatches : audit.empty} />
      )}
      {days.map((runs) => (
        <Day key={runs[0]?.id} {...{ runs, named }} />
      ))}
      {entries.length > 0 && (
        <Group>
          {list.hasNextPage && (
            <Button
              variant="default"
              loading={list.isFetchingNextPage}
              onClick={() => void list.fetchNextPage()}
            >
              {audit.more}
            </Button>
          )}
          <Text size="sm" c="dimmed">
            {audit.loaded(entries.length)}
          </Text>
        </Group>
      )}
    </Frame>
  );
}

interface DayProps {
  readonly runs: readonly AuditRun[];
  readonly named: Named;
}

function Day({ runs, named }: DayProps) {
  const { day } = useFormats();
  const [first] = runs;
  if (first === undefined) return null;
  return (
    <section>
      <Title order={2} size="h5" mb={4}>
        {day(new Date(first.at))}
      </Title>
      <ul className="desk-audit">
        {runs.map((run) => (
          <Run key={run.id} {...{ run, named }} />
        ))}
      </ul>
    </section>
  );
}

function Run({ run, named }: { readonly run: AuditRun; readonly named: Named }) {
  const { audit, history } = useTexts();
  const { time } = useFormats();
  const model = useModel();
  const [isOpen, { toggle }] = useDisclosure(false);
  const sentence = useId();
  const isGone = named.isMissing(run) && model.type(run.type ?? '')?.kind === 'collectionType';
  const [versions, trash] = [isGone ? null : versionsOf(run, model), isGone ? trashOf(run, model) : null];
  const oldest = run.entries.at(-1) ?? run;
  const [since, until] = [time(new Date(oldest.at)), time(new Date(run.at))];
  return (
    <li className="desk-audit-entry">
      <Text size="sm" c="dimmed">
        {since === until ? until : history.span(since, until)}
      </Text>
      <Text id={sentence} size="sm" className="desk-audit-sentence">
        <EntrySentence entry={run} named={named} />
        {run.entries.length > 1 && (
          <Text span c="dimmed">
            {` · ${audit.times(run.entries.length)}`}
          </Text>
        )}
      </Text>
      <Group gap="md" wrap="nowrap">
        {versions !== null && (
          <Anchor component={Link} href={versions} size="sm" aria-describedby={sentence}>
            {history.versions}
          </Anchor>
        )}
        {trash !== null && (
          <Anchor component={Link} href={trash} size="sm" aria-describedby={sentence}>
            {history.trash}
          </Anchor>
        )}
        <Anchor
          component="button"
          type="button"
          size="sm"
          aria-expanded={isOpen}
          aria-describedby={sentence}
          onClick={toggle}
        >
          {audit.details}
        </Anchor>
      </Group>
      {isOpen && <Facts run={run} />}
    </li>
  );
}

function Facts({ run }: { readonly run: AuditRun }) {
  const { audit } = useTexts();
  const { seconds } = useFormats();
  const model = useModel();
  const requests = run.entries.flatMap(({ requestId }) => (requestId === null ? [] : [requestId]));
  const facts: readonly (readonly [string, string])[] = [
    [audit.at, run.entries.map(({ at }) => seconds(new Date(at))).join(', ')],
    [audit.attributes, attributesText(run, model)],
    [audit.id, run.documentId ?? ''],
    [audit.address, run.address ?? ''],
    [audit.request, requests.join(', ')],
  ];
  return (
    <dl className="desk-audit-facts">
      {facts
        .filter(([, value]) => value !== '')
        .map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

interface ExportProps {
  readonly filters: AuditFilters;
  readonly named: Named;
}

const COLUMNS = ['at', 'action', 'status', 'type', 'documentId', 'locale', 'attributes'] as const;
const CALLER = ['by.kind', 'by.id', 'by.name', 'requestId', 'address'] as const;

/** Saves all entries that match the filters as a file. */
function Export({ filters, named }: ExportProps) {
  const texts = useTexts();
  const { number } = useFormats();
  const { send, alert, isSending } = useSending();
  const { people } = useModel();
  const lineOf = (one: AuditEntry, users: Named['users']): string =>
    csvLine([
      ...COLUMNS.map((name) => (name === 'attributes' ? one.attributes.join(' ') : one[name])),
      one.by.kind,
      one.by.id,
      callerText(one.by, { ...named, users }, texts),
      one.requestId,
      one.address,
    ]);
  const save = async (): Promise<void> => {
    const entries = await readAll(filters);
    const mayFind = people.users.includes('find');
    const users = mayFind ? await allNames(entries, named.users) : named.users;
    const lines = entries.map((one) => lineOf(one, users));
    const text = [csvLine([...COLUMNS, ...CALLER]), ...lines].join('');
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
    link.download = `audit-${new Date().toISOString().slice(0, 10)}.csv`;
    link.click();
    URL.revokeObjectURL(link.href);
    const count = number(entries.length);
    const { exported, exportedPart } = texts.audit;
    say(entries.length < MAX_EXPORTED ? exported(count) : exportedPart(count));
  };
  return (
    <Stack gap="xs" align="flex-end">
      <Button
        variant="default"
        leftSection={<IconDownload size={16} />}
        loading={isSending}
        onClick={() => void send(save)}
      >
        {texts.audit.export}
      </Button>
      {alert}
    </Stack>
  );
}
