/** Upload of pictures that are dropped or pasted into a text. */
import { Alert, Loader } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { messageOf } from '../api/errors.ts';
import { upload as send } from '../editor/uploads.ts';
import type { Link } from '../form/values.ts';
import { reasonText } from '../texts/reasons.ts';
import { useTexts } from '../texts/texts.ts';
import { useForm } from './form-context.ts';

interface Uploading {
  /** Stores a file in the library. Resolves with null if that failed, which the notice shows. */
  readonly upload: (file: File) => Promise<Link | null>;
  readonly notice: ReactNode;
}

export function useUpload(): Uploading {
  const texts = useTexts();
  const { model } = useForm();
  const [running, setRunning] = useState(0);
  const [failure, setFailure] = useState<string | null>(null);
  const mayUpload = 'create' in (model.type('file')?.verbs ?? {});
  const upload = async (file: File): Promise<Link | null> => {
    if (!mayUpload) return null;
    setRunning((count) => count + 1);
    setFailure(null);
    try {
      return await send(file, model);
    } catch (error) {
      setFailure(texts.uploadFailed(file.name, reasonText(messageOf(error), texts)));
      return null;
    } finally {
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
  return { upload, notice };
}
