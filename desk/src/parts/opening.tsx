import { Center, Loader } from '@mantine/core';
import { type ReactNode, Suspense } from 'react';
import { useTexts } from '../texts/texts.ts';
import { Boundary } from './boundary.tsx';

/** Shows over the page that a dialog is being loaded, or that it cannot be. */
export function Opening({ children }: { readonly children: ReactNode }) {
  const { loading } = useTexts();
  const waiting = (
    <Center className="desk-opening">
      <Loader aria-label={loading} />
    </Center>
  );
  return (
    <Boundary className="desk-not-opened">
      <Suspense fallback={waiting}>{children}</Suspense>
    </Boundary>
  );
}
