/** Crops a picture in the browser, to replace it or to store the part as a new file. */
import 'react-easy-crop/react-easy-crop.css';
import { Button, SegmentedControl, Slider, Text } from '@mantine/core';
import { type ReactNode, useMemo, useState } from 'react';
import Cropper, { type Area } from 'react-easy-crop';
import { ApiError } from '../api/errors.ts';
import { upload } from '../editor/uploads.ts';
import { type Json, textOfValue } from '../form/values.ts';
import { useModel } from '../screens/app.tsx';
import { Dialog, DialogButtons } from '../parts/dialog.tsx';
import { useShown } from '../parts/shown.ts';
import { settings } from '../settings.ts';
import { useTexts } from '../texts/texts.ts';
import { type FileChange, folderOf, readFile, replaceFile, type TaggedFile } from './files.ts';
import type { Point } from './focal-point.tsx';

interface Props {
  readonly file: Json;
  /** Folder of the file; null if it is not known. */
  readonly folder: string | null;
  readonly close: () => void;
  /** Called with the description that the replaced picture has. */
  readonly replaced: (description: Pick<FileChange, 'focalPoint'>) => void;
  readonly work: (task: () => Promise<unknown>, message: string) => Promise<boolean>;
  /** Reason of a failure. */
  readonly alert: ReactNode;
}

const SHAPES = ['original', '1:1', '4:3', '3:2', '16:9', '3:4'] as const;
/** Members of a description that a new file has, too. */
const COPIED = ['alternativeText', 'caption', 'focalPoint'];
/** Formats that a browser writes; others become PNG. */
const WRITTEN = ['image/jpeg', 'image/png', 'image/webp'];
const QUALITY = 0.92;

/**
 * Returns the file as it is now. Throws an ApiError if another editor has replaced the picture: the area
 * would show another part of it.
 */
async function asShown(file: Json): Promise<TaggedFile> {
  const now = await readFile(textOfValue(file['documentId']));
  if (now.body['url'] !== file['url']) throw new ApiError(412, { message: 'Precondition Failed' });
  return now;
}

/** Returns the part of a picture as a file. Throws an Error if the browser cannot read the picture. */
async function cropped(file: Json, area: Area): Promise<File> {
  const response = await fetch(textOfValue(file['url']));
  const bitmap = await createImageBitmap(await response.blob(), area.x, area.y, area.width, area.height);
  const canvas = document.createElement('canvas');
  canvas.width = area.width;
  canvas.height = area.height;
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
  const mime = WRITTEN.find((one) => one === file['mime']) ?? 'image/png';
  const blob = await new Promise<Blob | null>((resolve) => {
    canvas.toBlob(resolve, mime, QUALITY);
  });
  if (blob === null) throw new Error('The browser wrote no picture');
  const name = textOfValue(file['name']);
  const stem = name.replace(/\.[^.]*$/, '');
  return new File([blob], mime === file['mime'] ? name : `${stem}.png`, { type: mime });
}

/** Returns the focal point in percent of the part; null if it is outside. */
function pointIn({ focalPoint, width, height }: Json, area: Area): Point | null {
  const { x, y } = focalPoint as Point;
  const left = ((x / 100) * Number(width) - area.x) / area.width;
  const top = ((y / 100) * Number(height) - area.y) / area.height;
  const isInside = [left, top].every((share) => share >= 0 && share <= 1);
  return isInside ? { x: Math.round(left * 100), y: Math.round(top * 100) } : null;
}

/** Returns the members of a description that the file has, for a part of it. */
function descriptionOf(file: Json, area: Area, names: readonly string[]): Json {
  const present = names.filter((name) => (file[name] ?? null) !== null);
  return Object.fromEntries(
    present.map((name) => [name, name === 'focalPoint' ? pointIn(file, area) : file[name]]),
  );
}

const aspectOf = (shape: string, file: Json): number => {
  const [width, height] = shape.split(':').map(Number);
  if (width !== undefined && height !== undefined) return width / height;
  return Number(file['width'] ?? 1) / Number(file['height'] ?? 1) || 1;
};

export default function CropDialog({ file, folder, close, replaced, work, alert }: Props) {
  const texts = useTexts();
  const { media } = texts;
  const model = useModel();
  const verbs = model.type('file')?.verbs ?? {};
  const [shape, setShape] = useState<string>('original');
  const [crop, setCrop] = useState({ x: 0, y: 0 });
  const [zoom, setZoom] = useState(1);
  const [area, setArea] = useState<Area | null>(null);
  const [isBusy, setBusy] = useState(false);
  const isShown = useShown();
  // A copy whose response was lost is not stored twice.
  const key = useMemo(() => crypto.randomUUID(), [area]);
  const store = async (
    send: (part: File, area: Area, now: TaggedFile) => Promise<unknown>,
  ): Promise<void> => {
    if (area === null) return;
    setBusy(true);
    const isDone = await work(async () => {
      const now = 'findOne' in verbs ? await asShown(file) : { body: file, etag: null };
      const part = await cropped(file, area).catch(() => {
        throw new Error(media.cropFailed);
      });
      await send(part, area, now);
    }, media.stored);
    setBusy(false);
    if (isDone && isShown.current) close();
  };
  const name = textOfValue(file['name']);
  const copy = (): void =>
    void store(async (part, at) => {
      const known = folder ?? ('find' in verbs ? await folderOf(file) : null);
      const info = descriptionOf(file, at, COPIED);
      return upload(part, model, { folder: known, info, key });
    });
  const replace = async (part: File, at: Area, now: TaggedFile): Promise<void> => {
    const description = descriptionOf(file, at, ['focalPoint']);
    await replaceFile(now, part, description);
    replaced(description);
  };
  const last =
    'update' in verbs
      ? { label: media.cropHere, act: () => void store(replace) }
      : { label: media.cropCopy, act: copy };
  return (
    <Dialog title={media.cropTitle(name)} close={close} size="lg">
      {alert}
      <div className="desk-crop">
        <Cropper
          image={textOfValue(file['url'])}
          aspect={aspectOf(shape, file)}
          crop={crop}
          zoom={zoom}
          keyboardStep={4}
          nonce={settings.nonce}
          disableAutomaticStylesInjection
          cropperProps={{ 'aria-label': media.cropArea, role: 'application' }}
          onCropChange={setCrop}
          onZoomChange={setZoom}
          onCropComplete={(_, pixels) => setArea(pixels)}
        />
      </div>
      <Text size="xs" c="dimmed">
        {media.cropHint}
      </Text>
      <SegmentedControl
        aria-label={media.shape}
        className="desk-scrolling"
        value={shape}
        onChange={setShape}
        data={SHAPES.map((value) => ({ value, label: value === 'original' ? media.original : value }))}
      />
      <Slider
        label={null}
        thumbLabel={media.zoom}
        min={1}
        max={4}
        step={0.1}
        value={zoom}
        onChange={setZoom}
      />
      <DialogButtons close={close} isSending={isBusy} disabled={area === null} {...last}>
        {'create' in verbs && 'update' in verbs && (
          <Button variant="default" loading={isBusy} disabled={area === null} onClick={copy}>
            {media.cropCopy}
          </Button>
        )}
      </DialogButtons>
    </Dialog>
  );
}
