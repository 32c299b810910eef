/** Buttons above a list: its trash, and a new document. */
import { Button, Group } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { Link } from 'wouter';
import type { Type } from '../model/model.ts';
import { pageQuery } from '../model/page-query.ts';
import { useTexts } from '../texts/texts.ts';
import { useModel } from './app.tsx';

interface OfList {
  readonly type: Type;
  readonly locale: string;
}

export function CreateButton({ type, locale }: OfList) {
  const texts = useTexts();
  const model = useModel();
  if (!('create' in type.verbs)) return null;
  return (
    <Button
      component={Link}
      href={`/content/${type.name}/new${pageQuery(type, locale, model)}`}
      leftSection={<IconPlus size={16} />}
    >
      {texts.create}
    </Button>
  );
}

export function HeadButtons({ type, locale }: OfList) {
  const texts = useTexts();
  return (
    <Group gap="xs">
      {'trash' in type.verbs && (
        <Button
          component={Link}
          variant="default"
          href={`/trash/${type.name}`}
          leftSection={<IconTrash size={16} />}
        >
          {texts.history.trash}
        </Button>
      )}
      <CreateButton {...{ type, locale }} />
    </Group>
  );
}
