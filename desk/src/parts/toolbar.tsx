/** Toolbar with one stop of the tabulator: arrow keys move between its buttons. */
import { ActionIcon, Group } from '@mantine/core';
import { type ComponentType, type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';

interface Props {
  readonly label: string;
  readonly children: ReactNode;
  /** Returns the focus to the text. */
  readonly leave: () => void;
}

const buttonsOf = (bar: HTMLElement | null): HTMLButtonElement[] => [
  ...(bar?.querySelectorAll<HTMLButtonElement>('button:not(:disabled)') ?? []),
];

/** Steps of the keys; Infinity for the last button. */
function stepOf({ key, currentTarget }: KeyboardEvent<HTMLElement>): number | null {
  const isRightToLeft = getComputedStyle(currentTarget).direction === 'rtl';
  if (key === 'Home' || key === 'End') return key === 'Home' ? -Infinity : Infinity;
  if (key !== 'ArrowRight' && key !== 'ArrowLeft') return null;
  return (key === 'ArrowRight') === isRightToLeft ? -1 : 1;
}

export function Toolbar({ label, children, leave }: Props) {
  const bar = useRef<HTMLDivElement>(null);
  const current = useRef<HTMLButtonElement | null>(null);
  const mark = (chosen?: HTMLButtonElement): void => {
    const buttons = buttonsOf(bar.current);
    const known = chosen ?? current.current;
    current.current = known !== null && buttons.includes(known) ? known : (buttons[0] ?? null);
    for (const one of buttons) one.tabIndex = one === current.current ? 0 : -1;
  };
  // Buttons come and go with the place of the cursor.
  useEffect(() => mark());
  const press = (event: KeyboardEvent<HTMLElement>): void => {
    const buttons = buttonsOf(bar.current);
    const at = buttons.findIndex((one) => one === document.activeElement);
    if (at < 0) return;
    if (event.key === 'Escape') return leave();
    const step = stepOf(event);
    if (step === null) return;
    event.preventDefault();
    const next = Number.isFinite(step)
      ? buttons[(at + step + buttons.length) % buttons.length]
      : buttons.at(step < 0 ? 0 : -1);
    mark(next);
    next?.focus();
  };
  return (
    <Group
      ref={bar}
      gap={2}
      role="toolbar"
      aria-label={label}
      className="desk-tools"
      onKeyDown={press}
      onFocus={({ target }) => {
        // Menus and dialogs of the tools are children of the bar for React only.
        if (target instanceof HTMLButtonElement && bar.current?.contains(target) === true) mark(target);
      }}
    >
      {children}
    </Group>
  );
}

interface ToolProps {
  readonly label: string;
  /** Keys of the command, such as `Ctrl+B`. */
  readonly keys?: string | undefined;
  readonly icon: ComponentType<{ size?: number }>;
  /** Whether the tool is on; undefined for tools that are neither on nor off. */
  readonly isOn?: boolean | undefined;
  readonly isDisabled?: boolean;
  readonly run: () => void;
}

export function Tool({ label, keys, icon: Icon, isOn, isDisabled = false, run }: ToolProps) {
  return (
    <ActionIcon
      variant={isOn === true ? 'light' : 'subtle'}
      color="gray"
      aria-label={label}
      aria-pressed={isOn}
      aria-keyshortcuts={keys?.replace('Ctrl', 'Control')}
      title={keys === undefined ? label : `${label} (${keys})`}
      disabled={isDisabled}
      onMouseDown={(event) => event.preventDefault()}
      onClick={run}
    >
      <Icon size={16} />
    </ActionIcon>
  );
}
