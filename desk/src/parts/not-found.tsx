/** Page of an address that leads nowhere. */
import { Anchor, Box, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { Link } from 'wouter';
import { useTexts } from '../texts/texts.ts';

interface Props {
  /** Default: the page does not exist. */
  readonly title?: string;
  /** Default: a link to the start. */
  readonly children?: ReactNode;
}

export function NotFound({ title: given, children }: Props) {
  const texts = useTexts();
  const title = given ?? texts.notFound;
  useEffect(() => {
    document.title = `${title} · ${texts.desk}`;
  }, [title, texts]);
  return (
    <Box p="xl">
      <Title order={1} size="h3" mb="sm">
        {title}
      </Title>
      {children ?? (
        <Anchor component={Link} href="/">
          {texts.toStart}
        </Anchor>
      )}
    </Box>
  );
}
