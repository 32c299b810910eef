import { useEffect, useState, useSyncExternalStore } from 'react';
import { session } from '../api/session.ts';
import type { Model, Type } from '../model/model.ts';
import { DocumentEditor } from './document-editor.ts';
import type { Snapshot } from './snapshot.ts';

interface Wanted {
  readonly model: Model;
  readonly type: Type;
  readonly documentId: string | null;
  readonly locale: string;
  /** Number of the form. Another one opens the document again. */
  readonly form?: number;
}

/** Opens a document while the component is shown. Null until the first rendering is done. */
export function useEditor({ model, type, documentId, locale, form = 0 }: Wanted): DocumentEditor | null {
  const [editor, setEditor] = useState<DocumentEditor | null>(null);
  useEffect(() => {
    const user = session.user?.documentId ?? 'host';
    const opened = new DocumentEditor(model, { type, documentId, locale }, user);
    setEditor(opened);
    void opened.load();
    return () => opened.dispose();
    // Another description of the same model does not close a form.
  }, [type.name, documentId, locale, form]);
  return editor;
}

export const useSnapshot = (editor: DocumentEditor): Snapshot =>
  useSyncExternalStore(editor.subscribe, editor.current);
