import { Alert } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { messageOf } from '../api/errors.ts';
import { reasonText } from '../texts/reasons.ts';
import { useTexts } from '../texts/texts.ts';

export interface Sending {
  readonly isSending: boolean;
  readonly alert: ReactNode;
  readonly clear: () => void;
  /** Sends a change, and resolves with whether it was made. */
  readonly send: (work: () => Promise<unknown>) => Promise<boolean>;
}

/** Sends changes one at a time, and shows what was refused. */
export function useSending(): Sending {
  const texts = useTexts();
  const [error, setError] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const send = async (work: () => Promise<unknown>): Promise<boolean> => {
    setSending(true);
    setError(null);
    try {
      await work();
      return true;
    } catch (reason) {
      setError(reasonText(messageOf(reason), texts));
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
  return { isSending, alert, send, clear: () => setError(null) };
}
