/** Tool for links. */
import { ActionIcon, Popover } from '@mantine/core';
import { IconLink } from '@tabler/icons-react';
import type { Mark } from 'prosemirror-model';
import { lazy, Suspense } from 'react';
import { useTexts } from '../texts/texts.ts';
import type { BlocksView } from './blocks-view.ts';

const LinkForm = lazy(() => import('./link-form.tsx'));

interface Props {
  readonly view: BlocksView;
  readonly link: Mark | null;
  readonly isOpen: boolean;
  readonly setOpen: (isOpen: boolean) => void;
}

export function LinkTool({ view, link, isOpen, setOpen }: Props) {
  const texts = useTexts();
  return (
    <Popover opened={isOpen} onChange={setOpen} onClose={() => view.focus()} position="bottom" shadow="md">
      <Popover.Target>
        <ActionIcon
          variant={link === null ? 'subtle' : 'light'}
          color="gray"
          aria-label={texts.blocks.link}
          aria-pressed={link !== null}
          aria-keyshortcuts="Control+K"
          title={`${texts.blocks.link} (Ctrl+K)`}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => setOpen(!isOpen)}
        >
          <IconLink size={16} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={texts.blocks.link}>
        {isOpen && (
          <Suspense fallback={null}>
            <LinkForm view={view} link={link} close={() => setOpen(false)} />
          </Suspense>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}
