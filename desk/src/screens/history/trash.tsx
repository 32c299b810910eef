/** Deleted documents of a type, which can be restored. */
import { Alert, Anchor, Button, Table, Text } from '@mantine/core';
import { IconRestore } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { titleOfValue } from '../../form/values.ts';
import type { Type } from '../../model/model.ts';
import { pageQuery } from '../../model/page-query.ts';
import { Dialog, DialogButtons } from '../../parts/dialog.tsx';
import { EmptyList } from '../../parts/empty-list.tsx';
import { Frame } from '../../parts/frame.tsx';
import { distinct } from '../../parts/distinct.ts';
import { useLastPage } from '../../parts/last-page.ts';
import { useAnnouncement } from '../../parts/messages.tsx';
import { PageLinks } from '../../parts/page-links.tsx';
import { useSending } from '../../parts/sending.tsx';
import { isolated } from '../../texts/isolated.ts';
import { useFormats, useTexts } from '../../texts/texts.ts';
import { useModel } from '../app.tsx';
import { leftOutText } from './left-out.ts';
import { type Deleted, restoreDocument, useNames, useTrash } from './requests.ts';
import { writerText } from './version-list.tsx';

interface Restored {
  readonly documentId: string;
  readonly title: string;
  /** Languages of the document; null in types without. */
  readonly locales: readonly string[] | null;
  /** Sentences about values that were left out; empty for none. */
  readonly note: string;
}

export function TrashScreen({ type }: { readonly type: Type }) {
  const texts = useTexts();
  const { history } = texts;
  const model = useModel();
  const [page, setPage] = useState(1);
  const [asked, setAsked] = useState<Deleted | null>(null);
  const [restored, setRestored] = useState<Restored | null>(null);
  const { data, error, isFetching, refetch } = useTrash(type, page);
  const titleOf = ({ title }: Deleted): string => titleOfValue(title) || texts.untitled;
  const pages = data?.meta.pagination.pageCount ?? 0;
  useLastPage(page, pages, setPage);
  const restoredText = restored === null ? null : history.documentRestored(isolated(restored.title));
  useAnnouncement(restored === null ? null : `${restoredText} ${restored.note}`.trim());
  const [first = null] = restored?.locales ?? [];
  const hasDefault = restored?.locales?.includes(model.defaultLocale) === true;
  const query = hasDefault ? '' : pageQuery(type, first, model);
  return (
    <Frame
      title={history.trashOf(type.listLabel)}
      way={[{ href: `/content/${type.name}`, label: type.listLabel }]}
      isLoading={isFetching}
      error={error}
      retry={() => void refetch()}
    >
      {restored !== null && (
        <Alert
          color="green"
          role="group"
          withCloseButton
          closeButtonLabel={texts.close}
          onClose={() => setRestored(null)}
          title={restoredText}
        >
          {restored.note !== '' && <Text size="sm">{restored.note}</Text>}
          <Anchor component={Link} size="sm" href={`/content/${type.name}/${restored.documentId}${query}`}>
            {texts.open}
          </Anchor>
        </Alert>
      )}
      {data?.data.length === 0 && <EmptyList text={history.empty} hint={history.emptyHint} />}
      {data !== undefined && data.data.length > 0 && (
        <DeletedTable type={type} documents={data.data} {...{ titleOf }} ask={setAsked} />
      )}
      {pages > 1 && <PageLinks total={pages} page={page} open={setPage} />}
      {asked !== null && (
        <RestoreDialog
          {...{ type }}
          documentId={asked.documentId}
          locales={asked.locales}
          title={titleOf(asked)}
          close={() => setAsked(null)}
          restored={setRestored}
        />
      )}
    </Frame>
  );
}

interface TableProps {
  readonly type: Type;
  readonly documents: readonly Deleted[];
  readonly titleOf: (document: Deleted) => string;
  readonly ask: (document: Deleted) => void;
}

function DeletedTable({ type, documents, titleOf, ask }: TableProps) {
  const texts = useTexts();
  const { history } = texts;
  const { dateTime, localeName } = useFormats();
  const names = useNames(documents.map(({ deletedBy }) => deletedBy));
  const titles = distinct(documents.map(titleOf));
  return (
    <Table verticalSpacing="sm">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{type.attributes.find(({ name }) => name === type.title)?.label ?? type.label}</Table.Th>
          <Table.Th className="desk-wide">{history.deletedAt}</Table.Th>
          {type.localized && <Table.Th className="desk-wide">{texts.locales}</Table.Th>}
          <Table.Th aria-label={history.restore} />
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {documents.map((one, at) => {
          const when = `${dateTime(new Date(one.deletedAt))} ${writerText(one.deletedBy, names, texts)}`;
          return (
            <Table.Tr key={one.documentId}>
              <Table.Td className="desk-title">
                <Text fw={500}>
                  <bdi>{titleOf(one)}</bdi>
                </Text>
                <Text size="xs" c="dimmed" hiddenFrom="sm">
                  {when}
                </Text>
              </Table.Td>
              <Table.Td className="desk-wide">{when}</Table.Td>
              {type.localized && (
                <Table.Td className="desk-wide">{one.locales?.map(localeName).join(', ')}</Table.Td>
              )}
              <Table.Td align="right">
                <Button
                  size="xs"
                  variant="default"
                  leftSection={<IconRestore size={14} />}
                  aria-label={history.restoreDocument(titles[at] ?? '')}
                  onClick={() => ask(one)}
                >
                  {history.restore}
                </Button>
              </Table.Td>
            </Table.Tr>
          );
        })}
      </Table.Tbody>
    </Table>
  );
}

interface DialogProps extends Omit<Restored, 'note'> {
  readonly type: Type;
  readonly close: () => void;
  readonly restored: (document: Restored) => void;
}

function RestoreDialog({ type, documentId, title, locales, close, restored }: DialogProps) {
  const { history } = useTexts();
  const client = useQueryClient();
  const { send, alert, isSending, isShown } = useSending();
  const restore = async (): Promise<void> => {
    let note = '';
    const isDone = await send(async () => {
      const left = await restoreDocument(type, documentId);
      note = leftOutText(type, left, { gone: history.restoredWithout, kept: history.restoredInvalid });
    });
    if (!isDone) return;
    await Promise.all(
      ['trash', 'list', 'history'].map((key) => client.invalidateQueries({ queryKey: [key, type.name] })),
    );
    restored({ documentId, title, locales, note });
    if (isShown.current) close();
  };
  return (
    <Dialog title={history.restoreDocumentTitle(isolated(title))} close={close}>
      {alert}
      <Text size="sm">{history.restoreDocumentHint}</Text>
      <DialogButtons {...{ close, isSending }} label={history.restore} act={() => void restore()} />
    </Dialog>
  );
}
