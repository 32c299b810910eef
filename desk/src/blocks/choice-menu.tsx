/** Menus of the toolbar of `blocks`. */
import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import type { BlocksView } from './blocks-view.ts';

export interface Choice {
  readonly value: string;
  readonly label: string;
}

interface ChoiceProps {
  readonly view: BlocksView;
  /** Name of the choice, such as `Kind of block`. */
  readonly label: string;
  readonly shown: string;
  readonly choices: readonly Choice[];
  readonly choose: (value: string) => void;
}

/** Menu whose button shows the present choice. */
export function ChoiceMenu({ view, label, shown, choices, choose }: ChoiceProps) {
  return (
    <Menu position="bottom-start" withinPortal returnFocus={false} onClose={() => view.focus()}>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          aria-label={`${label}: ${shown}`}
          rightSection={<IconChevronDown size={14} />}
        >
          {shown}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
        {choices.map(({ value, label: name }) => (
          <Menu.Item key={value} onClick={() => choose(value)}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
