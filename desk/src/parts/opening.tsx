import { Center, Loader } from '@mantine/core';
import { type ReactNode, Suspense } from 'react';
import { useTexts } from '../texts/texts.ts';

/** Shows over the page that a dialog is being loaded. */
export function Opening({ children }: { readonly children: ReactNode }) {
  const { loading } = useTexts();
  const waiting = (
    <Center className="desk-opening">
      <Loader aria-label={loading} />
    </Center>
  );
  return <Suspense fallback={waiting}>{children}</Suspense>;
}
