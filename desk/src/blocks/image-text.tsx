/** Alternative text of the selected picture, as this text uses it. */
import { ActionIcon, Button, Group, Popover, TextInput } from '@mantine/core';
import { IconAlt } from '@tabler/icons-react';
import type { Node } from 'prosemirror-model';
import { type FormEvent, useState } from 'react';
import { directionOfSearch, useTexts } from '../texts/texts.ts';
import type { BlocksView } from './blocks-view.ts';
import { imageOf } from './schema.ts';

export default function ImageText({ view, node }: { readonly view: BlocksView; readonly node: Node }) {
  const texts = useTexts();
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState('');
  const open = (): void => {
    const { alternativeText } = imageOf(node);
    setText(typeof alternativeText === 'string' ? alternativeText : '');
    setOpen(true);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    event.stopPropagation();
    setOpen(false);
    view.run(({ selection, tr }, dispatch) => {
      const image = { ...imageOf(node), alternativeText: text === '' ? null : text };
      dispatch?.(tr.setNodeAttribute(selection.from, 'image', image));
      return true;
    });
  };
  return (
    <Popover opened={isOpen} onChange={setOpen} onClose={() => view.focus()} trapFocus>
      <Popover.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={texts.blocks.alternative}
          title={texts.blocks.alternative}
          onMouseDown={(event) => event.preventDefault()}
          onClick={open}
        >
          <IconAlt size={16} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <form onSubmit={submit}>
          <Group gap="xs" align="flex-end">
            <TextInput
              label={texts.blocks.alternative}
              dir={directionOfSearch(text)}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
            <Button type="submit">{texts.apply}</Button>
          </Group>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
