/** Page of one document: its form, its state, and what can be done with it. */
import { Anchor, Box, Group, Select, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import type { DocumentEditor } from '../editor/document-editor.ts';
import { useEditor, useSnapshot } from '../editor/use-editor.ts';
import { textOfValue } from '../form/values.ts';
import { hasDrafts, listLabel, type Type } from '../model/model.ts';
import { LocaleBadges } from '../parts/status.tsx';
import { useFormats, useTexts } from '../texts/texts.ts';
import { useModel } from './app.tsx';
import { DocumentForm } from './document-form.tsx';
import { SaveBar } from './save-bar.tsx';

interface Props {
  readonly type: Type;
  /** Null for a new document, and for a single type. */
  readonly documentId: string | null;
}

export function DocumentScreen({ type, documentId }: Props) {
  const model = useModel();
  const [address] = useSearchParams();
  const locale = type.localized ? (address.get('locale') ?? model.defaultLocale) : model.defaultLocale;
  // A new document keeps its form when it gets an id.
  const [opened, setOpened] = useState({ documentId, locale, created: '' });
  if (opened.created !== documentId && (opened.documentId !== documentId || opened.locale !== locale))
    setOpened({ documentId, locale, created: '' });
  if (opened.created === documentId && opened.locale !== locale)
    setOpened({ documentId, locale, created: '' });
  const editor = useEditor({ model, type, documentId: opened.documentId, locale: opened.locale });
  if (editor === null) return null;
  return (
    <OpenDocument
      editor={editor}
      locale={locale}
      created={(id) => setOpened({ documentId: opened.documentId, locale, created: id })}
    />
  );
}

interface OpenProps {
  readonly editor: DocumentEditor;
  readonly locale: string;
  readonly created: (documentId: string) => void;
}

function OpenDocument({ editor, locale, created }: OpenProps) {
  const texts = useTexts();
  const model = useModel();
  const client = useQueryClient();
  const { dateTime, localeName } = useFormats();
  const [, navigate] = useLocation();
  const snapshot = useSnapshot(editor);
  const { type } = editor;
  const isCollection = type.kind === 'collectionType';
  const suffix = locale === model.defaultLocale ? '' : `?locale=${locale}`;
  // A new document gets its address when it is stored.
  const { documentId } = snapshot;
  useEffect(() => {
    if (!isCollection || documentId === null || !location.pathname.endsWith('/new')) return;
    created(documentId);
    navigate(`/content/${type.name}/${documentId}${suffix}`, { replace: true });
  }, [documentId]);
  useEffect(() => () => void client.invalidateQueries({ queryKey: ['list'] }), [client]);
  const leave = (): void => navigate(isCollection ? `/content/${type.name}${suffix}` : '/');
  return (
    <>
      <SaveBar editor={editor} deleted={leave} />
      <Stack p="md" maw={1000} mx="auto">
        <Box>
          {isCollection && (
            <Text size="sm">
              <Anchor component={Link} size="sm" href={`/content/${type.name}${suffix}`}>
                {listLabel(type)}
              </Anchor>
            </Text>
          )}
          <Group justify="space-between" align="flex-start">
            <DocumentTitle editor={editor} />
            {type.localized && model.locales.length > 1 && (
              <Select
                aria-label={texts.locale}
                data={model.locales.map((code) => ({ value: code, label: localeName(code) }))}
                value={locale}
                allowDeselect={false}
                onChange={(next) =>
                  navigate(
                    `${isCollection ? `/content/${type.name}/${documentId ?? 'new'}` : `/content/${type.name}`}?locale=${next ?? ''}`,
                  )
                }
                w={160}
              />
            )}
          </Group>
          <Group gap="md">
            {snapshot.updatedAt !== null && (
              <Text size="sm" c="dimmed">
                {texts.updatedAt(dateTime(new Date(snapshot.updatedAt)))}
              </Text>
            )}
            {type.localized && model.locales.length > 1 && snapshot.state !== null && (
              <LocaleBadges state={snapshot.state} locales={model.locales} />
            )}
          </Group>
          {type.localized && snapshot.phase === 'ready' && !editor.isNew && snapshot.updatedAt === null && (
            <Text size="sm">{texts.newLocale(localeName(locale))}</Text>
          )}
          {hasDrafts(type) ? null : type.draftAndPublish && <Text size="sm">{texts.publishedHint}</Text>}
        </Box>
        <DocumentForm editor={editor} locale={locale} />
      </Stack>
    </>
  );
}

/** Title of the document, as the editor types it. */
function DocumentTitle({ editor }: { readonly editor: DocumentEditor }) {
  const texts = useTexts();
  const { type, store, isNew } = editor;
  const title = useSyncExternalStore(
    (listener) => store.subscribe(type.title, listener),
    () => textOfValue(store.get(type.title)),
  );
  const unnamed = isNew ? texts.newDocument(type.label) : texts.untitled;
  const heading = type.kind === 'collectionType' ? title || unnamed : type.label;
  useEffect(() => {
    document.title = `${heading} · ${texts.desk}`;
  }, [heading, texts]);
  return (
    <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
      {heading}
    </Title>
  );
}
