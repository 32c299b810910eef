/** Frame of a screen: title, tools, and an error with another attempt. */
import { Anchor, Breadcrumbs, Group, Loader, Stack, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { Link } from 'wouter';
import { useTexts } from '../texts/texts.ts';
import { Failure } from './failure.tsx';

interface Step {
  readonly href: string;
  readonly label: string;
}

interface FrameProps {
  readonly title: string;
  /** Screens on the way to this one. */
  readonly way?: readonly Step[];
  readonly isLoading: boolean;
  readonly error: Error | null;
  readonly retry: () => void;
  /** Controls next to the title. */
  readonly tools?: ReactNode;
  readonly children: ReactNode;
}

export function Frame({ title, way = [], isLoading, error, retry, tools, children }: FrameProps) {
  const texts = useTexts();
  useEffect(() => {
    document.title = `${title} · ${texts.desk}`;
  }, [title, texts]);
  return (
    <Stack p="md" gap="md">
      <div className="desk-frame-head">
        <Way steps={way} />
        <div className="desk-head">
          <Group gap="sm" wrap="nowrap">
            <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
              {title}
            </Title>
            {isLoading && <Loader size="xs" aria-label={texts.loading} />}
          </Group>
          {tools}
        </div>
      </div>
      {error !== null && <Failure error={error} retry={retry} />}
      {children}
    </Stack>
  );
}

function Way({ steps }: { readonly steps: readonly Step[] }) {
  const last = steps.at(-1);
  if (last === undefined) return null;
  return (
    <Breadcrumbs component="nav" aria-label={last.label}>
      {steps.map(({ href, label }) => (
        <Anchor key={href} component={Link} size="sm" href={href}>
          {label}
        </Anchor>
      ))}
    </Breadcrumbs>
  );
}
