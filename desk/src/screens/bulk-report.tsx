/** Result of an action on several documents, item by item. */
import { Alert, Anchor, List, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Report } from '../editor/bulk.ts';
import type { Type } from '../model/model.ts';
import { useTexts } from '../texts/texts.ts';

const MAX_TITLES = 10;

interface Props {
  readonly type: Type;
  readonly report: Report;
  readonly close: () => void;
}

export function BulkReport({ type, report: { verb, done, titles, failures }, close }: Props) {
  const texts = useTexts();
  const { bulk } = texts;
  const more = titles.length - MAX_TITLES;
  return (
    <Alert
      color={failures.length > 0 ? 'orange' : 'green'}
      withCloseButton
      closeButtonLabel={texts.close}
      onClose={close}
      title={bulk[verb].done(done)}
      role="status"
    >
      {titles.length > 0 && (
        <Text size="sm">
          {titles.slice(0, MAX_TITLES).join(', ')}
          {more > 0 && ` ${bulk.more(more)}`}
        </Text>
      )}
      {failures.length > 0 && (
        <>
          <Text size="sm" fw={600} mt="xs">
            {bulk.failed(failures.length)}
          </Text>
          <List size="sm">
            {failures.map(({ documentId, title, reason }) => (
              <List.Item key={documentId}>
                <Anchor component={Link} size="sm" href={`/content/${type.name}/${documentId}`}>
                  {title}
                </Anchor>
                {`: ${reason ?? bulk.conflict}`}
              </List.Item>
            ))}
          </List>
        </>
      )}
    </Alert>
  );
}
