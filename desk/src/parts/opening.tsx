import { Center, Loader } from '@mantine/core';
import { type ReactNode, Suspense } from 'react';
import { useTexts } from '../texts/texts.ts';
import { Boundary } from './boundary.tsx';

/** Shows over the page that a part of it is being loaded. It appears after a moment. */
export function Waiting() {
  const { loading } = useTexts();
  return (
    <Center className="desk-opening">
      <Loader aria-label={loading} />
    </Center>
  );
}

/** Shows over the page that a dialog is being loaded, or that it cannot be. */
export function Opening({ children }: { readonly children: ReactNode }) {
  return (
    <Boundary className="desk-not-opened">
      <Suspense fallback={<Waiting />}>{children}</Suspense>
    </Boundary>
  );
}
