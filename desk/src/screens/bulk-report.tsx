/** Result of an action on several documents, item by item. */
import { Alert, Anchor, List, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { ApiError } from '../api/errors.ts';
import type { Report } from '../editor/bulk.ts';
import { type Type, valueLabel } from '../model/model.ts';
import { pageQuery } from '../model/page-query.ts';
import { useAnnouncement } from '../parts/messages.tsx';
import { reasonText } from '../texts/reasons.ts';
import { isolated } from '../texts/isolated.ts';
import { type Texts, useTexts } from '../texts/texts.ts';
import { useModel } from './app.tsx';

const MAX_TITLES = 10;

export interface BulkResult extends Report {
  /** Language of the documents. */
  readonly locale: string;
}

interface Props {
  readonly type: Type;
  readonly report: BulkResult;
  readonly close: () => void;
}

export function BulkReport({ type, report: { verb, done, titles, failures, locale }, close }: Props) {
  const texts = useTexts();
  const { bulk } = texts;
  const query = pageQuery(type, locale, useModel());
  const more = titles.length - MAX_TITLES;
  const title = bulk[verb].done(done);
  const refused = failures.length > 0 ? bulk.failed(failures.length) : '';
  useAnnouncement(`${title}. ${refused}`.trim());
  return (
    <Alert
      color={failures.length > 0 ? 'orange' : 'green'}
      withCloseButton
      closeButtonLabel={texts.close}
      onClose={close}
      title={title}
      role="group"
    >
      {titles.length > 0 && (
        <Text size="sm">
          {titles.slice(0, MAX_TITLES).map(isolated).join(', ')}
          {more > 0 && ` ${bulk.more(more)}`}
        </Text>
      )}
      {failures.length > 0 && (
        <>
          <Text size="sm" fw={600} mt="xs">
            {refused}
          </Text>
          <List size="sm">
            {failures.map(({ documentId, title, error }) => (
              <List.Item key={documentId}>
                <Anchor component={Link} size="sm" href={`/content/${type.name}/${documentId}${query}`}>
                  {isolated(title)}
                </Anchor>
                {`: ${error === null ? bulk.conflict : reasonOf(error, type, texts)}`}
              </List.Item>
            ))}
          </List>
        </>
      )}
    </Alert>
  );
}

/** Reasons of a refusal, each after the label of its attribute. */
export function reasonOf({ message, problems }: ApiError, type: Type | null, texts: Texts): string {
  if (problems.length === 0) return reasonText(message, texts);
  return problems
    .map(({ path, message: one }) => {
      const attribute = type?.attributes.find(({ name }) => name === path[0]);
      if (attribute === undefined) return reasonText(one, texts);
      return `${attribute.label}: ${reasonText(one, texts, (value) => valueLabel(attribute, value))}`;
    })
    .join('. ');
}
