/** Screen of the host below the heading of the desk. */
import { Alert } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { messageOf } from '../api/errors.ts';
import { hostTools } from '../api/host-tools.ts';
import { hostScreens } from '../extension.ts';
import { Frame } from '../parts/frame.tsx';
import { hostText, useLanguage, useTexts } from '../texts/texts.ts';

export function HostScreen({ name }: { readonly name: string }) {
  const texts = useTexts();
  const language = useLanguage();
  const element = useRef<HTMLDivElement>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const screen = hostScreens().find((one) => one.name === name);
  useEffect(() => {
    const root = element.current;
    if (root === null || screen === undefined) return undefined;
    let unmount: (() => void) | undefined;
    try {
      unmount = screen.mount(root, hostTools(language));
    } catch (error) {
      setFailure(messageOf(error));
    }
    return () => {
      unmount?.();
      root.replaceChildren();
    };
  }, [screen, language]);
  return (
    <Frame
      title={screen === undefined ? texts.notFound : hostText(screen.label, language)}
      isLoading={false}
      error={null}
      retry={() => undefined}
    >
      {failure !== null && <Alert color="red">{texts.failed(failure)}</Alert>}
      <div ref={element} />
    </Frame>
  );
}
