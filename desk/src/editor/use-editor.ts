import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { session } from '../api/session.ts';
import type { Model, Type } from '../model/model.ts';
import { DocumentEditor } from './document-editor.ts';
import type { Snapshot } from './snapshot.ts';
import { typeOn } from './type-on.ts';

interface Wanted {
  readonly model: Model;
  readonly type: Type;
  readonly documentId: string | null;
  readonly locale: string;
  /** Number of the form. Another one opens the document again. */
  readonly form?: number;
}

/**
 * Opens a document while the component is shown. Null until it is opened. So it is after a change of the
 * document: what is shown of one never stays for another.
 */
export function useEditor({ model, type, documentId, locale, form = 0 }: Wanted): DocumentEditor | null {
  const client = useQueryClient();
  const wanted = JSON.stringify([type.name, documentId, locale, form]);
  const [opened, setOpened] = useState<{ readonly wanted: string; readonly editor: DocumentEditor } | null>(
    null,
  );
  useEffect(() => {
    const user = session.user?.documentId ?? 'host';
    let isClosed = false;
    let editor: DocumentEditor | null = null;
    void typeOn({ type, documentId, locale }).then((permitted) => {
      if (isClosed) return;
      editor = new DocumentEditor(model, { type: permitted, documentId, locale }, user);
      setOpened({ wanted, editor });
      void editor.load();
    });
    return () => {
      isClosed = true;
      void editor?.dispose().then((hasSaved) => {
        if (!hasSaved) return;
        // The list and the history may have been read before the last save.
        for (const key of ['list', 'history']) void client.invalidateQueries({ queryKey: [key] });
      });
    };
    // Another description of the same model does not close a form.
  }, [wanted]);
  return opened?.wanted === wanted ? opened.editor : null;
}

export const useSnapshot = (editor: DocumentEditor): Snapshot =>
  useSyncExternalStore(editor.subscribe, editor.current);
