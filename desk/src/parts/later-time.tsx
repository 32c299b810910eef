import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { inputOf } from '../model/local-time.ts';

interface Props {
  readonly label: string;
  readonly description?: string;
  /** Time that is stored; null for none. */
  readonly stored: string | null;
  readonly value: string;
  readonly setValue: (value: string) => void;
}

/** Input of a time to act at. One that is over is refused unless it is stored: it would be due at once. */
export function LaterTime({ stored, value, setValue, ...input }: Props) {
  // Another bound would end the work on a time that is half typed.
  const [min] = useState(() => {
    const now = new Date();
    return stored !== null && new Date(stored) < now ? undefined : inputOf(now.toISOString());
  });
  return (
    <TextInput
      {...input}
      type="datetime-local"
      min={min}
      value={value}
      onChange={(event) => setValue(event.currentTarget.value)}
    />
  );
}
