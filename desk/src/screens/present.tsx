/** Editors who have the document open, too. */
import { Avatar, Group, Text } from '@mantine/core';
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { DocumentEditor } from '../editor/document-editor.ts';
import { Presence } from '../editor/presence.ts';
import { useSnapshot } from '../editor/use-editor.ts';
import { useTexts } from '../texts/texts.ts';

/** Signs of the form while it is open; null before the document is stored. */
function usePresence(editor: DocumentEditor): Presence | null {
  const { documentId, savedAt, updatedAt } = useSnapshot(editor);
  const [presence, setPresence] = useState<Presence | null>(null);
  const { type, place } = editor;
  useEffect(() => {
    if (documentId === null) return undefined;
    const opened = new Presence({ type: type.name, documentId, locale: place.locale }, (time) => {
      const known = editor.snapshot.updatedAt;
      if (time === null || (known !== null && time > known)) void editor.catchUp();
    });
    setPresence(opened);
    return () => {
      opened.close();
      setPresence(null);
    };
  }, [editor, documentId]);
  useEffect(() => {
    if (savedAt !== null && updatedAt !== null) presence?.note(updatedAt);
  }, [presence, savedAt, updatedAt]);
  return presence;
}

const NONE = { others: [] };
const never = (): (() => void) => () => undefined;

export function Present({ editor }: { readonly editor: DocumentEditor }) {
  const texts = useTexts();
  const presence = usePresence(editor);
  const { others } = useSyncExternalStore(presence?.subscribe ?? never, presence?.current ?? (() => NONE));
  return (
    <Group gap={6} role="status" aria-label={texts.panels.present}>
      {others.map(({ id, name }) => (
        <Group key={id} gap={4} wrap="nowrap">
          <Avatar
            size={24}
            name={name}
            color="initials"
            variant="outline"
            className="desk-avatar"
            aria-hidden
          />
          <Text size="sm">{texts.panels.alsoHere(name)}</Text>
        </Group>
      ))}
    </Group>
  );
}
