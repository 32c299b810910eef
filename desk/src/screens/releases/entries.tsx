/** Documents of a release by their type, each with its state and the result of a check. */
import { ActionIcon, Anchor, Box, Table, Text, Title } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { Link } from 'wouter';
import { ApiError } from '../../api/errors.ts';
import { titleOfValue } from '../../form/values.ts';
import type { Type } from '../../model/model.ts';
import { useChanges } from '../../parts/changes.ts';
import { distinct } from '../../parts/distinct.ts';
import { StatusBadge } from '../../parts/status.tsx';
import { isolated } from '../../texts/isolated.ts';
import { type Texts, useFormats, useTexts } from '../../texts/texts.ts';
import { useModel } from '../app.tsx';
import { reasonOf } from '../bulk-report.tsx';
import { type Outcome, type ReleaseEntry, removeEntry, type Report, type WholeRelease } from './requests.ts';

interface Props {
  readonly release: WholeRelease;
  readonly report: Report | null;
}

/** Entries by their type, in the order in which the types first appear. */
function groupsOf(entries: readonly ReleaseEntry[]): readonly (readonly [string, readonly ReleaseEntry[]])[] {
  const groups = new Map<string, ReleaseEntry[]>();
  for (const entry of entries) groups.set(entry.type, [...(groups.get(entry.type) ?? []), entry]);
  return [...groups];
}

export function Entries({ release, report }: Props) {
  const { releases: texts } = useTexts();
  const model = useModel();
  const { send, alert } = useChanges();
  const outcomes = new Map(report?.entries.map((one) => [one.id, one]));
  return (
    <>
      {alert}
      {groupsOf(release.entries).map(([name, entries]) => {
        const type = model.type(name);
        const label = type === null ? texts.unknownType(name) : type.listLabel;
        return (
          <section key={name}>
            <Title order={2} size="h4" mb="xs">
              {label}
            </Title>
            <EntryTable
              {...{ release, entries, type, label, outcomes }}
              remove={(id) => void send(() => removeEntry(release.id, id))}
            />
          </section>
        );
      })}
    </>
  );
}

interface TableProps {
  readonly release: WholeRelease;
  readonly entries: readonly ReleaseEntry[];
  readonly type: Type | null;
  readonly label: string;
  readonly outcomes: ReadonlyMap<string, Outcome>;
  readonly remove: (id: string) => void;
}

function EntryTable({ release, entries, type, label, outcomes, remove }: TableProps) {
  const all = useTexts();
  const { releases: texts } = all;
  const isFinal = release.state === 'released';
  const names = distinct(entries.map((entry) => titleOf(entry, all)));
  return (
    <Table verticalSpacing="xs" aria-label={label}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{texts.document}</Table.Th>
          <Table.Th w={130}>{texts.action}</Table.Th>
          <Table.Th w={150} className="desk-wide">
            {texts.state}
          </Table.Th>
          {!isFinal && <Table.Th w={48} aria-label={all.remove} />}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {entries.map((entry, at) => {
          const title = titleOf(entry, all);
          return (
            <Table.Tr key={entry.id}>
              <Table.Td className="desk-title">
                <EntryTitle {...{ entry, title, type }} />
                {entry.status !== null && (
                  <Box hiddenFrom="sm" mt={4}>
                    <StatusBadge status={entry.status} />
                  </Box>
                )}
                <Result
                  {...{ type }}
                  outcome={outcomes.get(entry.id)}
                  hasFailed={entry.id === release.failedEntry}
                />
              </Table.Td>
              <Table.Td>{texts.actions[entry.action]}</Table.Td>
              <Table.Td className="desk-wide">
                {entry.status === null ? texts.gone : <StatusBadge status={entry.status} />}
              </Table.Td>
              {!isFinal && (
                <Table.Td>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={texts.removeOne(names[at] ?? title)}
                    onClick={() => remove(entry.id)}
                  >
                    <IconX size={16} />
                  </ActionIcon>
                </Table.Td>
              )}
            </Table.Tr>
          );
        })}
      </Table.Tbody>
    </Table>
  );
}

interface TitleProps {
  readonly entry: ReleaseEntry;
  readonly title: string;
  readonly type: Type | null;
}

export const titleOf = ({ title, status }: ReleaseEntry, { releases, untitled }: Texts): string =>
  titleOfValue(title) || (status === null ? releases.gone : untitled);

/** Title and language of a document, as a link for those that exist. */
export function EntryTitle({ entry: { documentId, locale, status }, title, type }: TitleProps) {
  const { releases: texts } = useTexts();
  const model = useModel();
  const { localeName } = useFormats();
  const hasLocales = locale !== null && model.locales.length > 1;
  const suffix = hasLocales && locale !== '*' && locale !== model.defaultLocale ? `?locale=${locale}` : '';
  const path = type?.kind === 'singleType' ? '' : `/${documentId}`;
  return (
    <>
      {type === null || type.route === null || status === null ? (
        <Text size="sm" fw={500}>
          {isolated(title)}
        </Text>
      ) : (
        <Anchor component={Link} size="sm" fw={500} href={`/content/${type.name}${path}${suffix}`}>
          {isolated(title)}
        </Anchor>
      )}
      {hasLocales && (
        <Text size="xs" c="dimmed">
          {locale === '*' ? texts.everyLocale : localeName(locale)}
        </Text>
      )}
    </>
  );
}

interface ResultProps {
  readonly outcome: Outcome | undefined;
  readonly type: Type | null;
  readonly hasFailed: boolean;
}

/** Result of the check, or of the failed release. */
function Result({ outcome, type, hasFailed }: ResultProps) {
  const texts = useTexts();
  const { releases } = texts;
  if (outcome === undefined)
    return hasFailed ? (
      <Text size="sm" c="red">
        {releases.failedHere}
      </Text>
    ) : null;
  const { error } = outcome;
  if (outcome.outcome !== 'refused' || error === null)
    return (
      <Text size="sm" c="dimmed">
        {outcome.outcome === 'unchanged' ? releases.outcomes.unchanged : releases.outcomes.changes}
      </Text>
    );
  return (
    <Text size="sm" c="red">
      {reasonOf(new ApiError(error.status, error), type, texts)}
    </Text>
  );
}
