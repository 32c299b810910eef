/** Document in a drawer over another form: to create a target of a relation, or to edit one. */
import { Drawer } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useEditor, useSnapshot } from '../editor/use-editor.ts';
import type { DocumentEditor } from '../editor/document-editor.ts';
import { leaving } from '../editor/leaving.ts';
import { isAutosaved } from '../editor/next-write.ts';
import { type Link, linkOf } from '../form/values.ts';
import { firstField, useFocusReturn, useLayer } from '../parts/dialog.tsx';
import { Waiting } from '../parts/opening.tsx';
import { useTexts } from '../texts/texts.ts';
import { useModel } from './app.tsx';
import { DocumentForm } from './document-form.tsx';
import { SaveBar } from './save-bar.tsx';

interface Props {
  readonly type: string;
  /** Null for a new document. */
  readonly documentId: string | null;
  readonly locale: string;
  /** Called with a link to the stored document, or with null if none is stored. */
  readonly close: (link: Link | null) => void;
}

export default function DocumentDrawer({ type: name, documentId, locale, close }: Props) {
  const texts = useTexts();
  const model = useModel();
  const type = model.type(name);
  if (type === null) return null;
  const label = documentId === null ? texts.newDocument(type.label) : type.label;
  return <Opened {...{ type, documentId, locale, close, label }} />;
}

interface OpenedProps extends Omit<Props, 'type'> {
  readonly type: DocumentEditor['type'];
  readonly label: string;
}

function Opened({ type, documentId, locale, close, label }: OpenedProps) {
  const texts = useTexts();
  const model = useModel();
  const ifOnTop = useLayer();
  useFocusReturn();
  const editor = useEditor({
    model,
    type,
    documentId,
    locale: type.localized ? locale : model.defaultLocale,
  });
  const isLeaving = useRef(false);
  const leave = async (): Promise<void> => {
    if (isLeaving.current) return;
    isLeaving.current = true;
    // A document that is being created gets its id, and its link.
    await editor?.writes.settled();
    const id = editor?.snapshot.documentId ?? null;
    if (editor === null || id === null) return close(null);
    // A draft is saved when it closes. Other changes are kept for the next time: they are not stored.
    const { values, base } = editor.store;
    const title = (isAutosaved(editor) ? values : base)[type.title];
    close(linkOf({ documentId: id, [type.title]: title }, type.name, model));
  };
  return (
    <Drawer
      opened
      onClose={() => ifOnTop(() => leaving.ask(() => void leave(), editor?.store))}
      position="right"
      size="lg"
      title={label}
      closeButtonProps={{ 'aria-label': texts.close }}
    >
      {editor === null ? <Waiting /> : <Inside {...{ editor, locale, ifOnTop }} close={() => close(null)} />}
    </Drawer>
  );
}

interface InsideProps {
  readonly editor: DocumentEditor;
  readonly locale: string;
  readonly ifOnTop: (act: () => void) => void;
  readonly close: () => void;
}

function Inside({ editor, locale, ifOnTop, close }: InsideProps) {
  const isReady = useSnapshot(editor).phase === 'ready';
  const form = useRef<HTMLDivElement>(null);
  // The drawer opens before the fields are loaded.
  useEffect(() => {
    if (isReady) firstField(form.current)?.focus({ preventScroll: true });
  }, [isReady]);
  return (
    <>
      <SaveBar editor={editor} deleted={close} ifOnTop={ifOnTop} />
      <div ref={form}>
        <DocumentForm editor={editor} locale={locale} />
      </div>
    </>
  );
}
