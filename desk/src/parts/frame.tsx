/** Frame of a screen: title, tools, and an error with another attempt. */
import { Alert, Button, Group, Loader, Stack, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { failureText } from '../texts/reasons.ts';
import { useTexts } from '../texts/texts.ts';

interface FrameProps {
  readonly title: string;
  readonly isLoading: boolean;
  readonly error: Error | null;
  readonly retry: () => void;
  /** Controls next to the title. */
  readonly tools?: ReactNode;
  readonly children: ReactNode;
}

export function Frame({ title, isLoading, error, retry, tools, children }: FrameProps) {
  const texts = useTexts();
  useEffect(() => {
    document.title = `${title} · ${texts.desk}`;
  }, [title, texts]);
  return (
    <Stack p="md" gap="md">
      <Group justify="space-between">
        <Group gap="sm">
          <Title order={1} size="h2">
            {title}
          </Title>
          {isLoading && <Loader size="xs" aria-label={texts.loading} />}
        </Group>
        {tools}
      </Group>
      {error !== null && (
        <Alert color="red" title={failureText(error, texts)}>
          <Button size="xs" onClick={retry}>
            {texts.retry}
          </Button>
        </Alert>
      )}
      {children}
    </Stack>
  );
}
