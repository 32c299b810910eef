/** Documents that link the document of a form. */
import { Alert, Loader, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { DocumentEditor } from '../editor/document-editor.ts';
import { titleOfValue } from '../form/values.ts';
import { usesOf } from '../editor/document-uses.ts';
import { Dialog } from '../parts/dialog.tsx';
import { UseList } from '../parts/use-list.tsx';
import { isolated } from '../texts/isolated.ts';
import { failureText } from '../texts/reasons.ts';
import { useTexts } from '../texts/texts.ts';
import { useModel } from './app.tsx';

interface Props {
  readonly editor: DocumentEditor;
  /** Closes the dialog around them. */
  readonly close: () => void;
  /** Shows nothing until there is a use, such as in a question about something else. */
  readonly isQuiet?: boolean;
}

export function DocumentUses({ editor: { type, place }, close, isQuiet = false }: Props) {
  const texts = useTexts();
  const { panels } = texts;
  const model = useModel();
  const documentId = place.documentId ?? '';
  const wanted = { type: type.name, documentId, texts: [documentId] };
  const { data, error } = useQuery({
    queryKey: ['uses', type.name, place.documentId],
    queryFn: () => usesOf(wanted, model),
    enabled: place.documentId !== null,
    gcTime: 0,
  });
  if (isQuiet && (data === undefined || data.links.length + data.partly.length === 0)) return null;
  if (error !== null) return <Alert color="red">{failureText(error, texts)}</Alert>;
  if (data === undefined) return <Loader size="sm" aria-label={texts.loading} />;
  return (
    <Stack gap={4} role="group" aria-label={texts.media.uses}>
      <Text size="sm" fw={600}>
        {data.hasMore ? panels.usesAtLeast(data.links.length) : texts.media.uses}
      </Text>
      {data.links.length === 0 && <Text size="sm">{panels.noUses}</Text>}
      <UseList uses={data.links} model={model} leave={close} />
      {data.partly.length > 0 && (
        <Text size="sm">
          {panels.usesPartly(data.partly.map(({ listLabel }) => isolated(listLabel)).join(', '))}
        </Text>
      )}
      {!isQuiet && (
        <Text size="sm" c="dimmed">
          {panels.usesHint}
        </Text>
      )}
    </Stack>
  );
}

export function UsesDialog({ editor, close }: Omit<Props, 'isQuiet'>) {
  const texts = useTexts();
  const title = titleOfValue(editor.store.get(editor.type.title)) || texts.untitled;
  return (
    <Dialog title={isolated(title)} close={close}>
      <DocumentUses {...{ editor, close }} />
    </Dialog>
  );
}
