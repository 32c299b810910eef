/** Parts that both editors of long texts share. They are loaded with the form. */
import { Alert, Loader } from '@mantine/core';
import { IconPhoto } from '@tabler/icons-react';
import { lazy, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { messageOf } from '../api/errors.ts';
import { leaving } from '../editor/leaving.ts';
import { upload as send } from '../editor/uploads.ts';
import type { Link } from '../form/values.ts';
import { sayFailure } from '../parts/messages.tsx';
import { Opening } from '../parts/opening.tsx';
import { useShown } from '../parts/shown.ts';
import { Tool } from '../parts/toolbar.tsx';
import { reasonText } from '../texts/reasons.ts';
import { useTexts } from '../texts/texts.ts';
import { useForm } from './form-context.ts';

const FilePicker = lazy(() => import('../screens/file-picker.tsx'));

/** Appearance of a text editor, which may change while it is open. */
export interface Look {
  readonly label: string;
  readonly readOnly: boolean;
  readonly dir: 'ltr' | 'rtl' | 'auto';
  readonly describedBy: string | undefined;
  readonly placeholder: string | undefined;
}

interface TextView<T> {
  set(value: T): void;
  restyle(look: Look): void;
  destroy(): void;
}

interface Shown<T, V> {
  readonly value: T;
  readonly look: Look;
  /** Makes the view, once for a place in the form. Its functions must be those of the last rendering. */
  readonly open: (place: HTMLElement) => V;
}

/**
 * Returns the place of a text editor, and its view once it exists. The view follows the value and the look.
 */
export function useTextView<T, V extends TextView<T>>({
  value,
  look,
  open,
}: Shown<T, V>): readonly [RefObject<HTMLDivElement | null>, V | null] {
  const { label, readOnly, dir, describedBy, placeholder } = look;
  const place = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<V | null>(null);
  useEffect(() => {
    if (place.current === null) return;
    const opened = open(place.current);
    setView(opened);
    return () => opened.destroy();
  }, []);
  useEffect(() => view?.set(value), [view, value]);
  useEffect(
    () => view?.restyle({ label, readOnly, dir, describedBy, placeholder }),
    [view, label, readOnly, dir, describedBy, placeholder],
  );
  return [place, view];
}

export interface Uploading {
  /** Stores a file in the library. Resolves with null if that failed, which the notice shows. */
  readonly upload: (file: File) => Promise<Link | null>;
  /** Changes the value of the form, for an editor that was closed during the upload. */
  readonly late: (change: (value: unknown) => unknown) => void;
  readonly notice: ReactNode;
}

/** Upload of pictures that are dropped or pasted into the text at a place. */
export function useUpload(path: string): Uploading {
  const texts = useTexts();
  const { model, store } = useForm();
  const [running, setRunning] = useState(0);
  const [failure, setFailure] = useState<string | null>(null);
  const isShown = useShown();
  const mayUpload = 'create' in (model.type('file')?.verbs ?? {});
  const upload = async (file: File): Promise<Link | null> => {
    if (!mayUpload) return null;
    setRunning((count) => count + 1);
    setFailure(null);
    const release = leaving.hold('upload', store);
    try {
      return await send(file, model);
    } catch (error) {
      const reason = texts.uploadFailed(file.name, reasonText(messageOf(error), texts));
      setFailure(reason);
      if (!isShown.current) sayFailure(reason);
      return null;
    } finally {
      release();
      setRunning((count) => count - 1);
    }
  };
  const notice = (
    <>
      {running > 0 && <Loader size="xs" m={8} aria-label={texts.upload} />}
      {failure !== null && (
        <Alert
          color="red"
          role="alert"
          withCloseButton
          closeButtonLabel={texts.close}
          onClose={() => setFailure(null)}
        >
          {failure}
        </Alert>
      )}
    </>
  );
  const late: Uploading['late'] = (change) => store.set(path, change(store.get(path)));
  return { upload, late, notice };
}

interface PictureProps {
  /** Called when the picker closes: undefined if the editor has chosen nothing. */
  readonly choose: (picture: Link | undefined) => void;
}

/** Tool that inserts a picture of the library. Renders nothing for an editor who may not see the library. */
export function PictureTool({ choose }: PictureProps) {
  const texts = useTexts();
  const [isPicking, setPicking] = useState(false);
  if (!('find' in (useForm().model.type('file')?.verbs ?? {}))) return null;
  return (
    <>
      <Tool label={texts.blocks.image} icon={IconPhoto} run={() => setPicking(true)} />
      {isPicking && (
        <Opening>
          <FilePicker
            isOne
            allowed={['images']}
            close={([picture]) => {
              setPicking(false);
              choose(picture);
            }}
          />
        </Opening>
      )}
    </>
  );
}
