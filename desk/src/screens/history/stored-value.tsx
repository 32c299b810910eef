/** Values of a stored version, to be read only. */
import { Paper, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { textOfBlocks } from '../../form/blocks-text.ts';
import { type Json, textOfValue, titleOfValue } from '../../form/values.ts';
import { componentIn, entriesOf, linksIn, type StoredLink } from '../../form/version-changes.ts';
import { type Attribute, type Kind, kindOf, type Part } from '../../model/model.ts';
import { valueText } from '../../model/value-text.ts';
import { isolated } from '../../texts/isolated.ts';
import { type Texts, useFormats, useTexts } from '../../texts/texts.ts';
import { useModel } from '../app.tsx';

interface ValueProps {
  readonly attribute: Attribute;
  readonly value: unknown;
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** A plain value as text. */
export function plainText(value: unknown, attribute: Attribute, texts: ReturnType<typeof useValueTexts>) {
  if (isEmpty(value)) return '';
  if (typeof value === 'boolean') return value ? texts.yes : texts.no;
  if (typeof value === 'string') return valueText(value, attribute, texts.formats);
  return textOfBlocks(value) ?? (textOfValue(value) || JSON.stringify(value, null, 2));
}

/** Texts of values, with the times of the editor's zone. */
export function useValueTexts(): Texts & { readonly formats: ReturnType<typeof useFormats> } {
  const texts = useTexts();
  const formats = useFormats();
  return { ...texts, formats };
}

export function linkText({ title, exists }: StoredLink, { history, untitled }: Texts): string {
  const name = titleOfValue(title);
  if (exists) return name === '' ? untitled : name;
  return name === '' ? history.goneDocument : history.gone(name);
}

/** Attributes of a document or an item that have a value. */
export function StoredPart({ part, content }: { readonly part: Part; readonly content: Json }) {
  return (
    <Stack gap="sm" component="dl" m={0}>
      {part.attributes
        .filter(({ name }) => !isEmpty(content[name]))
        .map((attribute) => (
          <div key={attribute.name}>
            <Text size="sm" c="dimmed" component="dt">
              {attribute.label}
            </Text>
            <Text component="dd" m={0} size="sm" className="desk-stored" dir="auto">
              <StoredValue attribute={attribute} value={content[attribute.name]} />
            </Text>
          </div>
        ))}
    </Stack>
  );
}

function StoredValue(props: ValueProps) {
  const Stored = STORED[kindOf(props.attribute)];
  return <Stored {...props} />;
}

function StoredText({ attribute, value }: ValueProps) {
  return plainText(value, attribute, useValueTexts());
}

function StoredLinks({ value }: ValueProps) {
  const texts = useValueTexts();
  return linksIn(value)
    .map((link) => isolated(linkText(link, texts)))
    .join(', ');
}

function StoredItems({ attribute, value }: ValueProps) {
  const model = useModel();
  return (
    <Stack gap="xs" component="span">
      {entriesOf(value).map((item, at) => {
        const component = componentIn(model, attribute, item);
        return component === null ? null : (
          <Paper key={at} withBorder p="sm" component="span">
            <Text size="sm" fw={600} component="span" display="block">
              {component.label}
            </Text>
            <StoredPart part={component} content={item} />
          </Paper>
        );
      })}
    </Stack>
  );
}

const STORED: Readonly<Record<Kind, (props: ValueProps) => ReactNode>> = {
  value: StoredText,
  links: StoredLinks,
  item: StoredItems,
  items: StoredItems,
};
