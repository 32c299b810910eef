import { Badge, Group, Text, Tooltip } from '@mantine/core';
import type { DocumentState, Status } from '../editor/requests.ts';
import { useFormats, useTexts } from '../texts/texts.ts';

const COLOURS: Readonly<Record<Status, string>> = { draft: 'gray', modified: 'orange', published: 'green' };

export function StatusBadge({ status }: { readonly status: Status }) {
  const texts = useTexts();
  const hints: Readonly<Record<Status, string>> = {
    draft: texts.draftHint,
    modified: texts.modifiedHint,
    published: texts.publishedHint,
  };
  return (
    <Tooltip label={hints[status]} events={{ hover: true, focus: true, touch: true }}>
      <Badge
        className={`desk-status desk-status-${status}`}
        color={COLOURS[status]}
        variant="light"
        tt="none"
      >
        {texts[status]}
      </Badge>
    </Tooltip>
  );
}

/** Languages up to which all are shown; of more, only some of those that the document has. */
const MAX_LOCALES = 8;

interface LocaleProps {
  readonly state: DocumentState;
  readonly locales: readonly string[];
  /** Opens a language; without it, the languages are shown only. */
  readonly choose?: (locale: string) => void;
}

/** Languages of a document, each with its state; those that it lacks are outlined. */
export function LocaleBadges({ state, locales, choose }: LocaleProps) {
  const texts = useTexts();
  const { localeName } = useFormats();
  const known = new Map((state.locales ?? []).map(({ locale, status }) => [locale, status]));
  const listed = locales.length <= MAX_LOCALES ? locales : locales.filter((locale) => known.has(locale));
  const more = listed.slice(MAX_LOCALES);
  const names = more.map(localeName).join(', ');
  return (
    <Group gap={4} wrap="nowrap">
      {listed.slice(0, MAX_LOCALES).map((locale) => {
        const status = known.get(locale);
        const hint = `${localeName(locale)}: ${status === undefined ? texts.missing : texts[status]}`;
        return (
          <Badge
            key={locale}
            size="sm"
            tt="none"
            className={`desk-status desk-status-${status ?? 'missing'}`}
            variant={status === undefined ? 'outline' : 'light'}
            color={status === undefined ? 'gray' : COLOURS[status]}
            title={hint}
            aria-label={choose === undefined ? hint : `${locale}, ${hint}`}
            {...(choose === undefined
              ? { role: 'img' }
              : { component: 'button', type: 'button', onClick: () => choose(locale) })}
          >
            {locale}
          </Badge>
        );
      })}
      {locales.length > MAX_LOCALES && (
        <Text size="xs" c="dimmed" title={names} style={{ whiteSpace: 'nowrap' }}>
          {texts.localesOf(known.size, locales.length)}
        </Text>
      )}
    </Group>
  );
}
