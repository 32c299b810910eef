/** One version of a document: its differences from another, its content, and the way back to it. */
import { Button, Center, Group, Loader, Paper, Select, Stack, Tabs, Text } from '@mantine/core';
import { IconRestore } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { typeOn } from '../../editor/type-on.ts';
import { differencesOf } from '../../form/version-changes.ts';
import { hasDrafts } from '../../model/model.ts';
import { Failure } from '../../parts/failure.tsx';
import { StatusBadge } from '../../parts/status.tsx';
import { useFormats, useTexts } from '../../texts/texts.ts';
import { useModel } from '../app.tsx';
import { Differences } from './differences.tsx';
import { type Subject, useChangesOf, useNames, useVersion, type Version } from './requests.ts';
import { RestoreDialog } from './restore-dialog.tsx';
import { StoredPart } from './stored-value.tsx';
import { actionText, writerText } from './version-list.tsx';

interface Props {
  readonly subject: Subject;
  readonly id: string;
  /** Versions that this one can be compared with. */
  readonly others: readonly Version[];
  /** Whether the others are all versions of the list. */
  readonly isEnd: boolean;
  /** Loads older versions; null while it cannot. */
  readonly load: (() => void) | null;
  readonly restored: (locale: string | null) => void;
}

export function OneVersion({ subject, id, restored, ...list }: Props) {
  const texts = useTexts();
  const { history } = texts;
  const { dateTime, localeName } = useFormats();
  const { data, error, refetch } = useVersion(subject, id);
  const [isAsked, setAsked] = useState(false);
  const names = useNames(data === undefined ? [] : [data.by]);
  if (error !== null) return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  const { at, since, status, action, by, locale, content } = data;
  const [start, end] = [dateTime(new Date(since)), dateTime(new Date(at))];
  return (
    <Paper withBorder p="md" component="section" aria-label={end}>
      <Stack>
        <Group justify="space-between" align="flex-start">
          <div>
            <Group gap="xs">
              <Text fw={600}>{start === end ? end : history.span(start, end)}</Text>
              {subject.type.draftAndPublish && <StatusBadge status={status} />}
            </Group>
            <Text size="sm" c="dimmed">
              {actionText(action, texts)} {writerText(by, names, texts)}
              {locale === null ? '' : ` · ${localeName(locale)}`}
            </Text>
          </div>
          {content !== null && <RestoreButton {...{ subject, locale }} ask={() => setAsked(true)} />}
        </Group>
        {content === null ? (
          <Text>{history.deletedHere}</Text>
        ) : (
          <Tabs defaultValue="changes">
            <Tabs.List mb="md">
              <Tabs.Tab value="changes">{history.changes}</Tabs.Tab>
              <Tabs.Tab value="content">{history.content}</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="changes">
              <Changes {...{ subject, id, ...list }} />
            </Tabs.Panel>
            <Tabs.Panel value="content">
              <StoredPart part={subject.type} content={content} />
            </Tabs.Panel>
          </Tabs>
        )}
      </Stack>
      {isAsked && <RestoreDialog {...{ subject, restored }} version={data} close={() => setAsked(false)} />}
    </Paper>
  );
}

interface RestoreProps {
  readonly subject: Subject;
  readonly locale: string | null;
  readonly ask: () => void;
}

/** Button of editors who may change the document in the language of the version. */
function RestoreButton({ subject: { type, documentId }, locale, ask }: RestoreProps) {
  const { history } = useTexts();
  const { defaultLocale } = useModel();
  const place = { type, documentId, locale: locale ?? defaultLocale };
  const { data: permitted } = useQuery({
    queryKey: ['verbs', type.name, documentId, place.locale],
    queryFn: () => typeOn(place),
  });
  if (permitted === undefined || !('update' in permitted.verbs)) return null;
  if (type.draftAndPublish && !hasDrafts(type)) return null;
  return (
    <Button variant="default" leftSection={<IconRestore size={16} />} onClick={ask}>
      {history.restore}
    </Button>
  );
}

const Loading = () => (
  <Center p="xl">
    <Loader aria-label={useTexts().loading} />
  </Center>
);

const FORMER = '';

const hasContent = ({ action }: Version): boolean => action !== 'delete' && action !== 'unpublish';

/** Version before another one in the same language; null for none. The list has the newest one first. */
function earlierThan(id: string, versions: readonly Version[]): string | null {
  const at = versions.findIndex((one) => one.id === id);
  const { locale } = versions[at] ?? {};
  if (at < 0) return null;
  return versions.slice(at + 1).find((one) => hasContent(one) && one.locale === locale)?.id ?? null;
}

function Changes({ subject, id, others, isEnd, load }: Omit<Props, 'restored'>) {
  const texts = useTexts();
  const { dateTime, localeName } = useFormats();
  const [other, setOther] = useState(FORMER);
  const { data } = useChangesOf(subject, id, null);
  // The first draft after a publication has no draft before it: the published version is.
  const before = data?.from === null ? earlierThan(id, others) : null;
  const isSought = data?.from === null && before === null && !isEnd;
  useEffect(() => {
    if (isSought) load?.();
  }, [isSought, load]);
  const choices = others
    .filter((one) => one.id !== id && hasContent(one))
    .map(({ id: value, at, status, locale }) => ({
      value,
      label: [dateTime(new Date(at)), texts[status], ...(locale === null ? [] : [localeName(locale)])].join(
        ' · ',
      ),
    }));
  return (
    <Stack>
      <Select
        label={texts.history.comparedWith}
        data={[{ value: FORMER, label: texts.history.former }, ...choices]}
        value={other}
        allowDeselect={false}
        onChange={(next) => setOther(next ?? FORMER)}
        maw={420}
      />
      {isSought && other === FORMER ? (
        <Loading />
      ) : (
        <Compared {...{ subject, id }} other={other === FORMER ? before : other} />
      )}
    </Stack>
  );
}

interface ComparedProps {
  readonly subject: Subject;
  readonly id: string;
  readonly other: string | null;
}

function Compared({ subject, id, other }: ComparedProps) {
  const { history } = useTexts();
  const model = useModel();
  const compared = useChangesOf(subject, id, other);
  const from = compared.data?.from ?? null;
  const [after, before] = [useVersion(subject, id), useVersion(subject, from)];
  const error = compared.error ?? after.error ?? before.error;
  const names = compared.data?.names;
  const differences = useMemo(() => {
    if (names === undefined || after.data === undefined || (from !== null && before.data === undefined))
      return null;
    const attributes = subject.type.attributes.filter(({ name }) => names.includes(name));
    const sides = { before: before.data?.content ?? {}, after: after.data.content ?? {} };
    return differencesOf({ ...subject.type, attributes }, sides, model);
  }, [names, from, before.data, after.data, subject, model]);
  if (error !== null) return <Failure error={error} retry={() => void compared.refetch()} />;
  if (differences === null) return <Loading />;
  return (
    <>
      {from === null && <Text>{history.first}</Text>}
      <Differences differences={differences} />
    </>
  );
}
