/** Head of a document: the way to it, its title, its languages, and the panels beside the form. */
import { ActionIcon, Anchor, Box, Breadcrumbs, Button, Group, Select, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconEye } from '@tabler/icons-react';
import { type ReactNode, useEffect, useSyncExternalStore } from 'react';
import { Link } from 'wouter';
import type { DocumentEditor } from '../editor/document-editor.ts';
import { useSnapshot } from '../editor/use-editor.ts';
import { titleOfValue } from '../form/values.ts';
import { listAddress } from '../model/last-list.ts';
import { hasDrafts } from '../model/model.ts';
import { pageQuery } from '../model/page-query.ts';
import { isLong } from '../parts/long-list.ts';
import { LocaleBadges } from '../parts/status.tsx';
import { isolated } from '../texts/isolated.ts';
import { useFormats, useTexts } from '../texts/texts.ts';
import { useModel } from './app.tsx';

/** Panels that the address of the page opens. */
export interface Panels {
  readonly locale: string;
  /** Language beside that of the form; null for none. */
  readonly other: string | null;
  readonly preview: boolean;
}

interface Props {
  readonly editor: DocumentEditor;
  readonly panels: Panels;
  readonly go: (change: Partial<Panels>) => void;
  readonly children?: ReactNode;
}

export function DocumentHead({ editor, panels, go, children }: Props) {
  const texts = useTexts();
  const model = useModel();
  const { dateTime, localeName } = useFormats();
  const snapshot = useSnapshot(editor);
  const { type } = editor;
  const { locale } = panels;
  const hasLocales = type.localized && model.locales.length > 1;
  const isMissing =
    type.localized && snapshot.phase === 'ready' && !editor.isNew && snapshot.updatedAt === null;
  const source = snapshot.state?.locales?.[0]?.locale;
  const [isOpen, { toggle }] = useDisclosure(false);
  return (
    <Box className="desk-document-head" data-open={isOpen}>
      <Way editor={editor} locale={locale} />
      <div className="desk-head">
        <Group gap="xs" wrap="nowrap" align="flex-start">
          <DocumentTitle editor={editor} />
          {!editor.isNew && (
            <ActionIcon
              variant="subtle"
              hiddenFrom="sm"
              aria-label={texts.audit.details}
              aria-expanded={isOpen}
              onClick={toggle}
            >
              <IconChevronDown size={18} className="desk-head-toggle" />
            </ActionIcon>
          )}
        </Group>
        <Group gap="xs" align="flex-end" className="desk-head-tools">
          {hasLocales && <Languages {...{ editor, panels, go }} />}
          {type.preview && snapshot.phase !== 'failed' && snapshot.phase !== 'missing' && (
            <Button
              variant="default"
              leftSection={<IconEye size={16} />}
              aria-pressed={panels.preview}
              onClick={() => go({ preview: !panels.preview })}
            >
              {texts.panels.preview}
            </Button>
          )}
        </Group>
      </div>
      <Group gap="md" className="desk-head-facts">
        <div className="desk-head-more">
          {snapshot.updatedAt !== null && (
            <Text size="sm" c="dimmed">
              {texts.updatedAt(dateTime(new Date(snapshot.updatedAt)), snapshot.authors.updatedBy)}
            </Text>
          )}
          {snapshot.authors.createdBy !== null && (
            <Text size="sm" c="dimmed">
              {texts.createdBy(snapshot.authors.createdBy)}
            </Text>
          )}
          {hasLocales && snapshot.state !== null && (
            <LocaleBadges
              state={snapshot.state}
              locales={model.locales}
              choose={(code) => go({ locale: code, other: code === panels.other ? locale : panels.other })}
            />
          )}
          {'versions' in type.verbs && !editor.isNew && snapshot.phase === 'ready' && (
            <Anchor component={Link} size="sm" href={historyOf(editor, locale)}>
              {texts.history.title}
            </Anchor>
          )}
          {model.audit && !editor.isNew && snapshot.phase === 'ready' && (
            <Anchor component={Link} size="sm" href={activityOf(editor)}>
              {texts.audit.activity}
            </Anchor>
          )}
        </div>
        {children}
      </Group>
      {isMissing && (
        <Text size="sm">
          {'update' in type.verbs ? texts.newLocale(localeName(locale)) : texts.noLocale(localeName(locale))}{' '}
          {source !== undefined && panels.other === null && 'update' in type.verbs && (
            <Anchor component="button" type="button" size="sm" onClick={() => go({ other: source })}>
              {texts.panels.showBeside(localeName(source))}
            </Anchor>
          )}
        </Text>
      )}
      {hasDrafts(type) ? null : type.draftAndPublish && <Text size="sm">{texts.publishedHint}</Text>}
    </Box>
  );
}

function historyOf({ type, place, model }: DocumentEditor, locale: string): string {
  const document = type.kind === 'singleType' ? '' : `/${place.documentId}`;
  return `/history/${type.name}${document}${pageQuery(type, locale, model)}`;
}

function activityOf({ type, place }: DocumentEditor): string {
  const document = type.kind === 'singleType' ? '' : `&document=${place.documentId}`;
  return `/audit?type=${type.name}${document}`;
}

/** Way from the menu to the document. */
function Way({ editor: { type }, locale }: { readonly editor: DocumentEditor; readonly locale: string }) {
  const model = useModel();
  if (type.kind !== 'collectionType') return null;
  const href = listAddress(type.name, locale === model.defaultLocale ? null : locale);
  return (
    <Breadcrumbs component="nav" aria-label={type.listLabel}>
      {type.group !== null && <Text size="sm">{type.group}</Text>}
      {'find' in type.verbs ? (
        <Anchor component={Link} size="sm" href={href}>
          {type.listLabel}
        </Anchor>
      ) : (
        <Text size="sm">{type.listLabel}</Text>
      )}
    </Breadcrumbs>
  );
}

function Languages({ editor, panels: { locale, other }, go }: Omit<Props, 'children'>) {
  const texts = useTexts();
  const model = useModel();
  const { localeName } = useFormats();
  const options = model.locales.map((code) => ({ value: code, label: localeName(code) }));
  return (
    <>
      <Select
        aria-label={texts.locale}
        data={options}
        value={locale}
        allowDeselect={false}
        searchable={isLong(options)}
        onChange={(next) => go({ locale: next ?? locale, other: next === other ? locale : other })}
        w={150}
      />
      {!editor.isNew && (
        <Select
          aria-label={texts.panels.compareHint}
          placeholder={texts.panels.compare}
          clearable
          clearButtonProps={{ 'aria-label': texts.panels.none }}
          data={options.filter(({ value }) => value !== locale)}
          value={other}
          onChange={(next) => go({ other: next })}
          w={180}
          className={other === null ? 'desk-head-more' : undefined}
        />
      )}
    </>
  );
}

/** Title of the document, as the editor types it. */
function DocumentTitle({ editor }: { readonly editor: DocumentEditor }) {
  const texts = useTexts();
  const { type, store, isNew } = editor;
  const { phase } = useSnapshot(editor);
  const title = useSyncExternalStore(
    (listener) => store.subscribe(type.title, listener),
    () => titleOfValue(store.get(type.title)),
  );
  const texted = { loading: '', ready: texts.untitled, missing: type.label, failed: type.label };
  const unnamed = isNew && phase !== 'loading' ? texts.newDocument(type.label) : texted[phase];
  const heading = type.kind === 'collectionType' ? title || unnamed : type.label;
  useEffect(() => {
    document.title = `${isolated(heading || type.label)} · ${texts.desk}`;
  }, [heading, type, texts]);
  return (
    <Title order={1} size="h2" className="desk-document-title" dir="auto" title={heading}>
      {heading || '\u00a0'}
    </Title>
  );
}
