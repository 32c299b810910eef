/** Page of the site with the document, in a frame at three widths. It is loaded again after each save. */
import { Anchor, Box, Button, Group, Loader, SegmentedControl, Stack, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../api/http.ts';
import type { DocumentEditor } from '../editor/document-editor.ts';
import { useSnapshot } from '../editor/use-editor.ts';
import { titleOfValue } from '../form/values.ts';
import { hasDrafts } from '../model/model.ts';
import { settings } from '../settings.ts';
import { reasonText } from '../texts/reasons.ts';
import { useTexts } from '../texts/texts.ts';

interface Preview {
  readonly url: string;
  readonly framed: boolean;
}

const WIDTHS = { phone: 390, tablet: 820, desktop: 1280 } as const;
/** Width of the window below which a page starts as wide as a phone. */
const NARROW = 600;
type Width = keyof typeof WIDTHS;

/** Milliseconds after which a token is renewed, which is less than its shortest lifetime. */
const RENEWAL = 50_000;

function usePreview(editor: DocumentEditor) {
  const { documentId, updatedAt, state } = useSnapshot(editor);
  const { type, place } = editor;
  const hasTime = type.kind === 'singleType' || type.localized;
  const isStored = hasTime ? updatedAt !== null : documentId !== null;
  const body = {
    type: type.name,
    documentId: type.kind === 'singleType' ? null : documentId,
    locale: type.localized ? place.locale : null,
    status: hasDrafts(type) ? 'draft' : 'published',
  };
  const query = useQuery({
    // A save gives the document another time, and the preview another token.
    queryKey: ['preview', body, updatedAt, state?.status],
    queryFn: async () =>
      (await request<{ data: Preview }>(`${settings.base}/preview`, { method: 'POST', body })).body.data,
    enabled: isStored,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  });
  return { ...query, isStored, body };
}

export default function PreviewPane({
  editor,
  close,
}: {
  readonly editor: DocumentEditor;
  readonly close: () => void;
}) {
  const texts = useTexts();
  const { panels } = texts;
  const [width, setWidth] = useState<Width>(() => (innerWidth < NARROW ? 'phone' : 'desktop'));
  const { error, isStored, refetch, ...query } = usePreview(editor);
  // The former language keeps its response, which is not a preview of one without a version.
  const data = isStored ? query.data : undefined;
  const title = titleOfValue(editor.store.get(editor.type.title)) || editor.type.label;
  return (
    <Stack className="desk-preview" gap="xs" component="section" aria-label={panels.preview}>
      <Group justify="space-between" gap="xs">
        <SegmentedControl
          size="xs"
          aria-label={panels.width}
          value={width}
          onChange={setWidth}
          data={(Object.keys(WIDTHS) as Width[]).map((value) => ({ value, label: panels.widths[value] }))}
        />
        {data !== undefined && (
          <NewTab
            url={data.url}
            since={query.dataUpdatedAt}
            refresh={() => void refetch({ cancelRefetch: false })}
          />
        )}
        <Button size="compact-sm" variant="default" onClick={close}>
          {panels.closePreview}
        </Button>
      </Group>
      {!isStored && <Text size="sm">{panels.noPreview}</Text>}
      {error !== null && (
        <Text size="sm" role="alert">
          {panels.previewFailed(reasonText(error.message, texts))}
        </Text>
      )}
      {isStored && error === null && data === undefined && <Loader size="sm" aria-label={texts.loading} />}
      {data?.framed === false && <Text size="sm">{panels.notFramed}</Text>}
      {data?.framed === true && <Framed url={data.url} width={WIDTHS[width]} label={panels.page(title)} />}
    </Stack>
  );
}

interface NewTabProps {
  readonly url: string;
  /** Time of the token in milliseconds since 1970. */
  readonly since: number;
  readonly refresh: () => void;
}

/** Link with a token that is not old: a press on an old one asks for another first. */
function NewTab({ url, since, refresh }: NewTabProps) {
  const { panels } = useTexts();
  return (
    <Anchor
      size="sm"
      href={url}
      target="_blank"
      rel="noreferrer"
      onFocus={() => Date.now() - since > RENEWAL && refresh()}
      onMouseEnter={() => Date.now() - since > RENEWAL && refresh()}
    >
      {panels.newTab}
    </Anchor>
  );
}

interface FramedProps {
  readonly url: string;
  /** Width of the page in pixels; the frame is scaled to the room that it has. */
  readonly width: number;
  readonly label: string;
}

function Framed({ url, width, label }: FramedProps) {
  const { ref, width: room, height } = useElementSize();
  const scale = room === 0 ? 1 : Math.min(1, room / width);
  // A page of the same origin with scripts and its own origin could leave the sandbox.
  const isOwn = new URL(url, location.href).origin === location.origin;
  const sandbox = `allow-scripts allow-forms allow-popups${isOwn ? '' : ' allow-same-origin'}`;
  return (
    <Box ref={ref} className="desk-preview-room">
      <iframe
        // Another element loads the page without an entry in the history of the browser.
        key={url}
        title={label}
        src={url}
        sandbox={sandbox}
        referrerPolicy="no-referrer"
        style={{
          width,
          height: height / scale,
          transform: `scale(${scale})`,
          marginInlineStart: Math.max(0, (room - width * scale) / 2),
        }}
      />
    </Box>
  );
}
