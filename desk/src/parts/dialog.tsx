/** Dialogs over the page. Each is rendered only while it is open, and returns the focus when it closes. */
import { Button, Group, Modal, Stack } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { leaving } from '../editor/leaving.ts';
import { useTexts } from '../texts/texts.ts';
import { DialogScope } from './unsaved.tsx';

const FIELD = 'input:not(:disabled, [type=file]), textarea:not(:disabled), [contenteditable=true]';

export const firstField = (form: HTMLElement | null): HTMLElement | null =>
  form?.querySelector<HTMLElement>(FIELD) ?? null;

/** Gives the first field of a form the focus of its dialog, which would be on the button that closes it. */
export const markFirstField = (form: HTMLElement | null): void =>
  firstField(form)?.setAttribute('data-autofocus', '');

/** Control that opened a dialog. An entry of a menu is gone by then: its menu's button is the control. */
function openerOf(element: Element | null): HTMLElement | null {
  const label = element?.closest('[role=menu]')?.getAttribute('aria-labelledby') ?? null;
  const opener = label === null ? element : document.getElementById(label);
  return opener instanceof HTMLElement ? opener : null;
}

/** Open dialogs and drawers; the last one is on top. */
const layers: object[] = [];

/** Returns a function that acts for a dialog or a drawer if it is on top: a key concerns only one of them. */
export function useLayer(): (act: () => void) => void {
  const [layer] = useState({});
  useEffect(() => {
    layers.push(layer);
    // The layers below still have to see the same key.
    return () => void setTimeout(() => layers.splice(layers.indexOf(layer), 1));
  }, [layer]);
  return (act) => {
    if (layers.at(-1) === layer) act();
  };
}

/** Whether a dialog or a drawer lies over the page. */
export const isCovered = (): boolean => layers.length > 0;

/** Acts on a key for the page, unless a dialog or a drawer lies over it. */
export const ifNoDialog = (act: () => void): void => void (!isCovered() && act());

/** Control of the page that opened the last dialog. */
let lastOpener: HTMLElement | null = null;

/** Control that opened a dialog, then that of the page: a dialog that replaces another loses the first. */
function openers(): readonly (HTMLElement | null)[] {
  const control = openerOf(document.activeElement);
  const isOnPage = control !== document.body && control?.closest('[role=dialog]') === null;
  if (isOnPage || layers.length === 0) lastOpener = isOnPage ? control : null;
  return [control, lastOpener];
}

/** Returns the focus to where it was before the component, unless it is elsewhere by then. */
export function useFocusReturn(): void {
  const [controls] = useState(openers);
  useEffect(
    () => () => {
      // The page gets the focus of an element that is removed.
      requestAnimationFrame(() => {
        if (document.activeElement !== document.body) return;
        const control = controls.find((one) => one?.isConnected === true && one !== document.body);
        control?.focus({ preventScroll: true });
      });
    },
    [],
  );
}

interface Props {
  readonly title: string;
  readonly close: () => void;
  readonly children: ReactNode;
  readonly size?: string;
}

export function Dialog({ title, close, children, size = 'md' }: Props) {
  const texts = useTexts();
  const [scope] = useState({});
  const ifOnTop = useLayer();
  useFocusReturn();
  return (
    <Modal
      opened
      onClose={() => ifOnTop(() => leaving.ask(close, scope))}
      title={title}
      size={size}
      closeButtonProps={{ 'aria-label': texts.close }}
    >
      <DialogScope value={scope}>
        <Stack>{children}</Stack>
      </DialogScope>
    </Modal>
  );
}

interface Buttons {
  readonly close: () => void;
  /** Text of the button that acts. */
  readonly label: string;
  /** Does what the dialog is about; without it, the button sends the form around it. */
  readonly act?: () => void;
  /** Whether the action deletes something. */
  readonly isDangerous?: boolean;
  readonly isSending?: boolean;
  readonly disabled?: boolean;
  /** Further actions, between the button to cancel and the one that acts. */
  readonly children?: ReactNode;
}

/** Last row of a dialog. Without a field that asks for the focus, the button to cancel has it. */
export function DialogButtons({ close, label, act, children, ...button }: Buttons) {
  const { isDangerous = false, isSending = false, disabled = false } = button;
  const { cancel } = useTexts();
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={close} data-autofocus>
        {cancel}
      </Button>
      {children}
      <Button
        type={act === undefined ? 'submit' : 'button'}
        color={isDangerous ? 'red.9' : undefined}
        loading={isSending}
        disabled={disabled}
        onClick={act}
      >
        {label}
      </Button>
    </Group>
  );
}
