/** Versions of a document, newest first, as links of one page. */
import { Button, NavLink, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { session } from '../../api/session.ts';
import { StatusBadge } from '../../parts/status.tsx';
import { type Texts, useFormats, useTexts } from '../../texts/texts.ts';
import { useNames, type Version, type Writer } from './requests.ts';

/** Name of a writer for a sentence: “by Ann”. */
export function writerText(
  { kind, id }: Writer,
  names: Readonly<Record<string, string>>,
  texts: Texts,
): string {
  const { by, you, another, kinds } = texts.history;
  if (kind !== 'user') return by(kinds[kind as keyof typeof kinds] ?? kind);
  if (id === session.user?.documentId) return by(you);
  return by(names[id ?? ''] ?? another);
}

export const actionText = (action: string, { history: { actions } }: Texts): string =>
  actions[(action === 'discardDraft' ? 'discard' : action) as keyof typeof actions] ?? action;

interface Props {
  readonly versions: readonly Version[];
  /** Whether each version names its language. */
  readonly showsLocale: boolean;
  readonly hasDrafts: boolean;
  readonly selected: string | null;
  readonly hrefOf: (id: string) => string;
  /** Loads older versions; null if there are none. */
  readonly more: (() => void) | null;
  readonly isLoading: boolean;
}

export function VersionList({ versions, selected, hrefOf, more, isLoading, ...shown }: Props) {
  const texts = useTexts();
  const { dateTime, localeName } = useFormats();
  const names = useNames(versions.map(({ by }) => by));
  return (
    <Stack gap={4} component="nav" aria-label={texts.history.versions}>
      {versions.map(({ id, at, action, by, status, locale }) => (
        <NavLink
          key={id}
          component={Link}
          href={hrefOf(id)}
          active={id === selected}
          aria-current={id === selected ? 'true' : undefined}
          label={dateTime(new Date(at))}
          description={[
            `${actionText(action, texts)} ${writerText(by, names, texts)}`,
            ...(shown.showsLocale && locale !== null ? [localeName(locale)] : []),
          ].join(' · ')}
          rightSection={shown.hasDrafts ? <StatusBadge status={status} /> : null}
          style={{ borderRadius: 'var(--mantine-radius-md)' }}
        />
      ))}
      {more !== null && (
        <Button variant="default" size="xs" loading={isLoading} onClick={more}>
          {texts.history.more}
        </Button>
      )}
      {versions.length === 0 && <Text size="sm">{texts.history.noneHere}</Text>}
    </Stack>
  );
}
