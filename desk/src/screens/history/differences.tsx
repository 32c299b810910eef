/** Differences of two versions by attribute: words of texts, links, and items of components. */
import { Badge, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { type Change, diffWordsWithSpace } from 'diff';
import { Fragment, type ReactNode } from 'react';
import type { Difference, StoredLink } from '../../form/version-changes.ts';
import { isolated } from '../../texts/isolated.ts';
import { stretch } from '../../texts/stretch.ts';
import { useTexts } from '../../texts/texts.ts';
import { linkText, plainText, StoredPart, useValueTexts } from './stored-value.tsx';

/** Types whose values are compared word by word. */
const TEXTS = ['string', 'text', 'richtext', 'blocks', 'email', 'uid', 'json', 'array'];
/** Milliseconds after which two texts are shown one beside the other. */
const PATIENCE = 300;
/** Share of the letters that two texts have in common if they are shown as one. */
const MIN_COMMON = 0.3;
/** Letters of an unchanged stretch that are shown at each of its ends. */
const CONTEXT = 120;

export function Differences({ differences }: { readonly differences: readonly Difference[] }) {
  const { history } = useTexts();
  if (differences.length === 0) return <Text>{history.same}</Text>;
  return (
    <Stack gap="lg">
      {differences.map((one, at) => (
        <Stack key={at} gap={4} role="group" aria-label={one.path.join(' › ')}>
          <Text fw={600} size="sm">
            {one.path.join(' › ')}
          </Text>
          <OneDifference difference={one} />
        </Stack>
      ))}
    </Stack>
  );
}

function OneDifference({ difference: one }: { readonly difference: Difference }) {
  const { history } = useTexts();
  switch (one.kind) {
    case 'value':
      return <ValueDifference difference={one} />;
    case 'links':
      return (
        <>
          <Links label={history.added} links={one.added} colour="green" />
          <Links label={history.removed} links={one.removed} colour="red" />
          {one.isMoved && <Text size="sm">{history.moved}</Text>}
        </>
      );
    case 'moved':
      return <Text size="sm">{history.movedItem}</Text>;
    default:
      return (
        <Paper withBorder p="sm" className={`desk-${one.kind}`}>
          <Mark label={history[one.kind]} colour={one.kind === 'added' ? 'green' : 'red'} />
          <StoredPart part={one.component} content={one.item} />
        </Paper>
      );
  }
}

function Mark({ label, colour }: { readonly label: string; readonly colour: 'green' | 'red' }) {
  return (
    <Badge
      size="sm"
      tt="none"
      variant="light"
      miw="max-content"
      color={colour}
      className={`desk-mark-${colour}`}
    >
      {label}
    </Badge>
  );
}

interface LinksProps {
  readonly label: string;
  readonly links: readonly StoredLink[];
  readonly colour: 'green' | 'red';
}

function Links({ label, links, colour }: LinksProps) {
  const texts = useTexts();
  if (links.length === 0) return null;
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap">
      <Mark label={label} colour={colour} />
      <Text size="sm" className="desk-stored">
        {links.map((link) => isolated(linkText(link, texts))).join(', ')}
      </Text>
    </Group>
  );
}

type Changed = Extract<Difference, { kind: 'value' }>;

function ValueDifference({ difference: { attribute, ...sides } }: { readonly difference: Changed }) {
  const texts = useValueTexts();
  const { history } = texts;
  const [before, after] = [sides.before, sides.after].map((value) => plainText(value, attribute, texts)) as [
    string,
    string,
  ];
  if (before === after) return <Text size="sm">{history.format}</Text>;
  const isText = TEXTS.includes(attribute.type) && before !== '' && after !== '';
  const words = isText ? diffWordsWithSpace(before, after, { timeout: PATIENCE }) : undefined;
  if (words !== undefined && isAlike(words, Math.max(before.length, after.length)))
    return (
      <Text size="sm" className="desk-stored" dir="auto">
        {words.map(({ value, added, removed }, at) => {
          if (added) return <ins key={at}>{value}</ins>;
          if (removed) return <del key={at}>{value}</del>;
          return (
            <Fragment key={at}>
              {shortened(value, { isFirst: at === 0, isLast: at === words.length - 1 })}
            </Fragment>
          );
        })}
      </Text>
    );
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <Side label={history.before}>{before === '' ? texts.none : <del>{before}</del>}</Side>
      <Side label={history.after}>{after === '' ? texts.none : <ins>{after}</ins>}</Side>
    </SimpleGrid>
  );
}

/** Whether two texts have enough in common to be shown as one. */
const isAlike = (words: readonly Change[], length: number): boolean =>
  words.reduce((sum, { value, added, removed }) => sum + (added || removed ? 0 : value.trim().length), 0) >
  length * MIN_COMMON;

function Side({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text size="sm" className="desk-stored" dir="auto">
        {children}
      </Text>
    </div>
  );
}

/** Middle of a long unchanged stretch left out. */
function shortened(
  text: string,
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
) {
  const [start, end] = [isFirst ? 0 : CONTEXT, isLast ? 0 : CONTEXT];
  if (text.length <= start + end + 40) return text;
  return `${stretch(text, 0, start)} … ${end === 0 ? '' : stretch(text, -end)}`;
}
