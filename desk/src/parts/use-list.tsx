import { Anchor, List } from '@mantine/core';
import { Link as RouteLink } from 'wouter';
import type { Link } from '../form/values.ts';
import type { Model } from '../model/model.ts';
import { pageQuery } from '../model/page-query.ts';
import { isolated } from '../texts/isolated.ts';
import { useTexts } from '../texts/texts.ts';

interface Props {
  readonly uses: readonly Link[];
  readonly model: Model;
  /** Called when the editor opens one of them. */
  readonly leave?: () => void;
}

/** Documents that use a file or another document, each as a link to its page. */
export function UseList({ uses, model, leave }: Props) {
  const texts = useTexts();
  return (
    <List size="sm">
      {uses.map(({ documentId, type, title, locale }) => {
        const target = model.type(type);
        const place = target?.kind === 'singleType' ? type : `${type}/${documentId}`;
        const name = target?.kind === 'singleType' ? target.label : isolated(title ?? texts.untitled);
        return (
          <List.Item key={`${type} ${documentId}`} style={{ overflowWrap: 'anywhere' }}>
            {target?.route === null ? (
              name
            ) : (
              <Anchor
                component={RouteLink}
                href={`/content/${place}${pageQuery(target, locale, model)}`}
                size="sm"
                underline="always"
                onClick={leave}
              >
                {name}
              </Anchor>
            )}
            {target?.kind === 'collectionType' && ` · ${target.label}`}
          </List.Item>
        );
      })}
    </List>
  );
}
