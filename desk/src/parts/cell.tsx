/** Value of a list's column. */
import { Group, Text } from '@mantine/core';
import { readLinks, type Json, textOfValue } from '../form/values.ts';
import { type Attribute, kindOf, type Model } from '../model/model.ts';
import { valueText } from '../model/value-text.ts';
import { isolated } from '../texts/isolated.ts';
import { useFormats, useTexts } from '../texts/texts.ts';
import { Thumbnail } from './thumbnail.tsx';

const MAX_LINKS = 3;
/** Types whose values are in one line. */
const WHOLE = ['date', 'datetime', 'timestamp'];
const TIMES = ['createdAt', 'updatedAt', 'publishedAt'];

export function Cell({ name, attribute, document, model }: CellProps) {
  const texts = useTexts();
  const formats = useFormats();
  const value = document[name];
  if (value === null || value === undefined || value === '') return null;
  if (attribute !== null && kindOf(attribute) === 'links') return <Links {...{ attribute, value, model }} />;
  if (TIMES.includes(name))
    return (
      <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
        {formats.dateTime(new Date(textOfValue(value)))}
      </Text>
    );
  if (typeof value === 'boolean') return <Text size="sm">{value ? texts.yes : texts.no}</Text>;
  if (attribute !== null && typeof value === 'string')
    return (
      <Text
        size="sm"
        lineClamp={2}
        style={{ whiteSpace: WHOLE.includes(attribute.type) ? 'nowrap' : undefined }}
      >
        <bdi>{valueText(value, attribute, formats)}</bdi>
      </Text>
    );
  return (
    <Text size="sm" lineClamp={2}>
      {typeof value === 'object' ? JSON.stringify(value) : <bdi>{textOfValue(value)}</bdi>}
    </Text>
  );
}

interface CellProps {
  readonly name: string;
  readonly attribute: Attribute | null;
  readonly document: Json;
  readonly model: Model;
}

function Links({
  attribute,
  value,
  model,
}: {
  readonly attribute: Attribute;
  readonly value: unknown;
  readonly model: Model;
}) {
  const texts = useTexts();
  const all = readLinks(value, attribute, model);
  const links = all.slice(0, MAX_LINKS);
  const more = all.length - links.length;
  if (attribute.type === 'media')
    return (
      <Group gap={4} wrap="nowrap">
        {links.map(({ documentId, file }) => (
          <Thumbnail key={documentId} file={file ?? {}} />
        ))}
      </Group>
    );
  return (
    <Text size="sm" lineClamp={2}>
      {links.map(({ title }) => isolated(title ?? texts.untitled)).join(', ')}
      {more > 0 && ` +${more}`}
    </Text>
  );
}
