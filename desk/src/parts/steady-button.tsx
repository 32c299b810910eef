/** Button that keeps the focus while it is unavailable, as after each save. */
import { Button, type ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props extends ButtonProps {
  readonly isUnavailable: boolean;
  readonly act: () => void;
  readonly title?: string | undefined;
  readonly children: ReactNode;
}

export function SteadyButton({ isUnavailable, act, ...button }: Props) {
  return (
    <Button
      {...button}
      data-disabled={isUnavailable || undefined}
      aria-disabled={isUnavailable}
      onClick={() => !isUnavailable && act()}
    />
  );
}
