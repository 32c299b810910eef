/** Page of one document: its form, its state, and what can be done with it. */
import { Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, useEffect, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import type { DocumentEditor } from '../editor/document-editor.ts';
import { useEditor, useSnapshot } from '../editor/use-editor.ts';
import { keepOpened, listAddress } from '../model/last-list.ts';
import { mayOpen, type Model, type Type } from '../model/model.ts';
import { Opening, Waiting } from '../parts/opening.tsx';
import { useModel } from './app.tsx';
import { DocumentForm } from './document-form.tsx';
import { DocumentHead, type Panels } from './document-head.tsx';
import { CreateButton } from './list-buttons.tsx';
import { Present } from './present.tsx';
import { SaveBar } from './save-bar.tsx';
import { ScheduleNote } from './schedule.tsx';

const PreviewPane = lazy(() => import('./preview-pane.tsx'));

interface Props {
  readonly type: Type;
  /** Null for a new document, and for a single type. */
  readonly documentId: string | null;
}

export function DocumentScreen({ type, documentId }: Props) {
  const model = useModel();
  const [address] = useSearchParams();
  const locale = type.localized ? model.localeOf(address) : model.defaultLocale;
  // A new document keeps its form when it gets an id.
  const [opened, setOpened] = useState<Opened>({ documentId, locale, created: null, form: 0 });
  if ((opened.created ?? opened.documentId) !== documentId || opened.locale !== locale)
    setOpened({ documentId, locale, created: null, form: opened.form + 1 });
  const editor = useEditor({ ...opened, model, type });
  useEffect(() => {
    if (documentId !== null) keepOpened(type.name, documentId);
  }, [type.name, documentId]);
  if (editor === null) return <Waiting />;
  return (
    <OpenDocument editor={editor} locale={locale} created={(id) => setOpened({ ...opened, created: id })} />
  );
}

/** Document of the form. */
interface Opened {
  readonly documentId: string | null;
  readonly locale: string;
  /** Id that the form has got since it was opened; null for none. */
  readonly created: string | null;
  /** Number of the form: a new document after another one is another form. */
  readonly form: number;
}

interface OpenProps {
  readonly editor: DocumentEditor;
  readonly locale: string;
  readonly created: (documentId: string) => void;
}

function OpenDocument({ editor, locale, created }: OpenProps) {
  const model = useModel();
  const client = useQueryClient();
  const [address] = useSearchParams();
  const [, navigate] = useLocation();
  const { documentId } = useSnapshot(editor);
  const { type } = editor;
  const isCollection = type.kind === 'collectionType';
  const other = address.get('beside');
  const panels: Panels = {
    locale,
    other: type.localized && other !== locale && model.locales.includes(other ?? '') ? other : null,
    preview: type.preview && address.has('preview'),
  };
  const home = isCollection ? `/content/${type.name}/${documentId ?? 'new'}` : `/content/${type.name}`;
  const go = (change: Partial<Panels>): void =>
    navigate(`${home}${queryOf({ ...panels, ...change }, model)}`);
  // A new document gets its address when it is stored, also in the form of a deleted one.
  useEffect(() => {
    if (!isCollection || documentId === null || location.pathname.endsWith(`/${documentId}`)) return;
    created(documentId);
    navigate(`/content/${type.name}/${documentId}${queryOf(panels, model)}`, { replace: true });
  }, [documentId]);
  useEffect(() => () => void client.invalidateQueries({ queryKey: ['list'] }), [client]);
  const list = queryOf({ locale, other: null, preview: false }, model);
  const leave = (): void =>
    navigate(isCollection ? listAddress(type.name, locale === model.defaultLocale ? null : locale) : '/');
  const create = (): void => navigate(`/content/${type.name}/new${list}`);
  const width = panels.other === null ? 1000 : 1400;
  return (
    <>
      <SaveBar
        editor={editor}
        deleted={leave}
        {...(isCollection ? { create } : {})}
        {...(panels.preview ? {} : { width })}
      />
      <div className={panels.preview ? 'desk-with-preview' : undefined}>
        <Stack p="md" maw={width} mx="auto" className="desk-document">
          <DocumentHead {...{ editor, panels, go }}>
            <ScheduleNote editor={editor} />
            {!editor.isNew && !mayOpen(type) && <CreateButton {...{ type, locale }} />}
            <Present editor={editor} />
          </DocumentHead>
          <DocumentForm editor={editor} locale={locale} other={panels.other} />
        </Stack>
        {panels.preview && (
          <Opening>
            <PreviewPane editor={editor} close={() => go({ preview: false })} />
          </Opening>
        )}
      </div>
    </>
  );
}

/** Address of the panels; those that are closed, and the default language, are not in it. */
function queryOf({ locale, other, preview }: Panels, { defaultLocale }: Model): string {
  const address = new URLSearchParams();
  if (locale !== defaultLocale) address.set('locale', locale);
  if (other !== null) address.set('beside', other);
  if (preview) address.set('preview', '');
  return address.size === 0 ? '' : `?${address.toString()}`;
}
