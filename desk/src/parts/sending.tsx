import { Alert } from '@mantine/core';
import { type ReactNode, type RefObject, useState } from 'react';
import { ApiError, messageOf } from '../api/errors.ts';
import { reasonText, refusalText } from '../texts/reasons.ts';
import { type Texts, useTexts } from '../texts/texts.ts';
import { sayFailure } from './messages.tsx';
import { useShown } from './shown.ts';

export interface Sending {
  readonly isSending: boolean;
  readonly alert: ReactNode;
  readonly clear: () => void;
  /** Whether the form is still open. An editor may close it while a change is sent, and open another one. */
  readonly isShown: RefObject<boolean>;
  /** Sends a change, and resolves with whether it was made. */
  readonly send: (work: () => Promise<unknown>) => Promise<boolean>;
}

/** Text for an error; one that the desk has made is in the language of the editor. */
function textOf(error: unknown, texts: Texts): string {
  if (!(error instanceof ApiError)) return reasonText(messageOf(error), texts);
  const { persons, webhooks, email } = texts;
  const labels = new Map([
    ['username', persons.username],
    ['email', email],
    ['name', persons.name],
    ['url', webhooks.address],
  ]);
  return refusalText(error, labels, texts);
}

/** Sends changes one at a time, and shows what was refused: in a message if the form is closed by then. */
export function useSending(): Sending {
  const texts = useTexts();
  const [error, setError] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const isShown = useShown();
  const send = async (work: () => Promise<unknown>): Promise<boolean> => {
    setSending(true);
    setError(null);
    try {
      await work();
      return true;
    } catch (reason) {
      const text = textOf(reason, texts);
      if (isShown.current) setError(text);
      else sayFailure(text);
      return false;
    } finally {
      setSending(false);
    }
  };
  const alert =
    error === null ? null : (
      <Alert color="red" role="alert">
        {error}
      </Alert>
    );
  return { isSending, alert, send, isShown, clear: () => setError(null) };
}
