/** Asks before an action on several documents: which ones, and whether they have changed in the meantime. */
import { Alert, Group, List, Loader, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { OfflineError } from '../api/errors.ts';
import {
  type BulkVerb,
  countMatching,
  existing,
  isTooMany,
  type Report,
  type Seen,
  type Selection,
  tagAll,
  type Tagged,
  writeMany,
  writeMatching,
} from '../editor/bulk.ts';
import { mayLackLinks } from '../form/empty-links.ts';
import type { Model, Type } from '../model/model.ts';
import { Dialog, DialogButtons } from '../parts/dialog.tsx';
import { useSending } from '../parts/sending.tsx';
import { isolated } from '../texts/isolated.ts';
import { failureText } from '../texts/reasons.ts';
import { useFormats, useTexts } from '../texts/texts.ts';
import { useModel } from './app.tsx';

/** Documents of an action: some of the page, or all that match. */
export type Chosen =
  | { readonly kind: 'selected'; readonly documents: readonly Seen[] }
  | { readonly kind: 'matching'; readonly selection: Selection };

interface Props {
  readonly type: Type;
  readonly verb: BulkVerb;
  readonly locale: string;
  readonly chosen: Chosen;
  readonly close: () => void;
  readonly done: (report: Report) => void;
}

const MAX_TITLES = 12;

interface Checked {
  readonly count: number;
  /** Null if the server chooses them. */
  readonly tagged: readonly Tagged[] | null;
}

/** Whether the documents are published without links that their type requires. */
const asksForLinks = ({ type, verb }: Props, model: Model): boolean =>
  verb === 'publish' && !model.strictRelations && mayLackLinks(type, model);

/** Reads the current versions, or counts the documents that match. */
function useChecked(props: Props) {
  const { type, verb, locale, chosen } = props;
  const model = useModel();
  const findsGaps = asksForLinks(props, model);
  return useQuery({
    queryKey: ['bulk', type.name, verb, locale, chosen],
    queryFn: async (): Promise<Checked> => {
      if (chosen.kind === 'matching')
        return { count: await countMatching(verb, chosen.selection), tagged: null };
      const tagged = await tagAll(chosen.documents, { type, verb, locale, model, findsGaps });
      return { count: existing(tagged).length, tagged };
    },
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
}

/** Runs the action, with reasons that an editor understands. */
function useRun({ type, verb, locale, chosen, close, done }: Props) {
  const { bulk } = useTexts();
  const client = useQueryClient();
  const { send, alert, isSending, isShown } = useSending();
  const write = async ({ count, tagged }: Checked): Promise<Report> => {
    try {
      if (chosen.kind === 'matching') return await writeMatching(verb, chosen.selection, count);
      return await writeMany(verb, tagged ?? [], { type, locale });
    } catch (error) {
      if (error instanceof OfflineError) throw new Error(bulk.lost, { cause: error });
      throw isTooMany(error) ? new Error(bulk.tooMany, { cause: error }) : error;
    } finally {
      for (const key of ['list', 'trash']) await client.invalidateQueries({ queryKey: [key, type.name] });
    }
  };
  const run = async (checked: Checked): Promise<void> => {
    const isDone = await send(async () => done(await write(checked)));
    if (isDone && isShown.current) close();
  };
  return { run, alert, isSending };
}

export function BulkDialog(props: Props) {
  const { type, verb, locale, chosen, close } = props;
  const texts = useTexts();
  const { bulk } = texts;
  const model = useModel();
  const { localeName } = useFormats();
  const { data, error } = useChecked(props);
  const { run, alert, isSending } = useRun(props);
  const count = data?.count ?? (chosen.kind === 'selected' ? chosen.documents.length : null);
  const hint = verb === 'delete' && 'trash' in type.verbs ? bulk.delete.toTrash : bulk[verb].hint;
  const hasLocales = type.localized && model.locales.length > 1;
  return (
    <Dialog title={count === null ? texts[verb] : bulk[verb].ask(count)} close={close}>
      {alert}
      {error !== null && (
        <Alert color="red" role="alert">
          {failureText(error, texts)}
        </Alert>
      )}
      <Text size="sm">
        {hint} {hasLocales && (verb === 'delete' ? bulk.everyLocale : bulk.inLocale(localeName(locale)))}
      </Text>
      {chosen.kind === 'selected' && <Titles documents={chosen.documents} tagged={data?.tagged ?? []} />}
      {data === undefined && error === null && (
        <Group gap="xs">
          <Loader size="xs" aria-hidden />
          <Text size="sm" role="status">
            {bulk.checking}
          </Text>
        </Group>
      )}
      {data?.count === 0 && <Text size="sm">{bulk.nothing}</Text>}
      <DialogButtons
        {...{ close, isSending }}
        label={texts[verb]}
        act={() => data !== undefined && void run(data)}
        disabled={data === undefined || data.count === 0}
        isDangerous={verb === 'delete'}
      />
    </Dialog>
  );
}

interface TitlesProps {
  readonly documents: readonly Seen[];
  readonly tagged: readonly Tagged[];
}

/** Titles of the selected documents; first those with a remark, such as those that others have changed. */
function Titles({ documents, tagged }: TitlesProps) {
  const { bulk } = useTexts();
  const news = new Map(
    tagged.flatMap(({ documentId, since, gaps }) => {
      const notes = [
        ...(since === null ? [] : [bulk[since]]),
        ...(gaps.length === 0 ? [] : [bulk.without(gaps.map(isolated).join(', '))]),
      ];
      return notes.length === 0 ? [] : [[documentId, notes.join('; ')] as const];
    }),
  );
  const isNews = ({ documentId }: Seen): number => Number(news.has(documentId));
  const sorted = [...documents].sort((a, b) => isNews(b) - isNews(a));
  const shown = sorted.slice(0, Math.max(MAX_TITLES, news.size));
  return (
    <List size="sm">
      {shown.map((one) => (
        <List.Item key={one.documentId} style={{ overflowWrap: 'anywhere' }}>
          {isolated(one.title)}
          {news.has(one.documentId) && (
            <Text span size="sm" fw={600} c="var(--desk-alarm)">
              {` (${news.get(one.documentId) ?? ''})`}
            </Text>
          )}
        </List.Item>
      ))}
      {sorted.length > shown.length && <List.Item>{bulk.more(sorted.length - shown.length)}</List.Item>}
    </List>
  );
}
