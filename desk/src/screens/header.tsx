/** Controls at the end of the header: the palette, the colours, the language and the account. */
import { ActionIcon, Group, Menu, useMantineColorScheme } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconLanguage, IconMoon, IconSearch, IconUser } from '@tabler/icons-react';
import { lazy, useState } from 'react';
import { Link } from 'wouter';
import { messageOf } from '../api/errors.ts';
import { reload } from '../api/reload.ts';
import { session } from '../api/session.ts';
import { leaving } from '../editor/leaving.ts';
import { Dialog, DialogButtons } from '../parts/dialog.tsx';
import { sayFailure } from '../parts/messages.tsx';
import { Opening } from '../parts/opening.tsx';
import { usePageKeys } from '../parts/page-keys.ts';
import { useSending } from '../parts/sending.tsx';
import { settings } from '../settings.ts';
import { reasonText } from '../texts/reasons.ts';
import { chooseLanguage, languages, useTexts } from '../texts/texts.ts';

const Palette = lazy(() => import('./palette.tsx'));

/** Opens the palette, also by Ctrl+K or Cmd+K. */
export function PaletteButton() {
  const texts = useTexts();
  const [isOpen, { open, close }] = useDisclosure(false);
  usePageKeys({ 'mod+K': open });
  return (
    <>
      <ActionIcon variant="subtle" aria-label={texts.palette.title} onClick={open}>
        <IconSearch size={18} />
      </ActionIcon>
      {isOpen && (
        <Opening>
          <Palette close={close} />
        </Opening>
      )}
    </>
  );
}

export function HeaderMenus() {
  const texts = useTexts();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const isDark =
    colorScheme === 'dark' || (colorScheme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
  const choose = (code: string): void => {
    chooseLanguage(code);
    reload().catch((error: unknown) => sayFailure(reasonText(messageOf(error), texts)));
  };
  const { send, alert, isSending } = useSending();
  const [isSignedIn, setSignedIn] = useState(false);
  const signOut = (): void => void send(() => session.leave()).then((isDone) => setSignedIn(!isDone));
  return (
    <Group gap="xs" wrap="nowrap">
      <ActionIcon
        variant="subtle"
        aria-label={texts.theme}
        onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
      >
        <IconMoon size={18} />
      </ActionIcon>
      {languages().length > 1 && (
        <Menu>
          <Menu.Target>
            <ActionIcon variant="subtle" aria-label={texts.languageOfDesk}>
              <IconLanguage size={18} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {languages().map(({ code, name }) => (
              <Menu.Item key={code} lang={code} onClick={() => choose(code)}>
                {name}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {settings.session && (
        <Menu>
          <Menu.Target>
            <ActionIcon variant="subtle" aria-label={texts.account}>
              <IconUser size={18} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Label>{session.user?.email}</Menu.Label>
            <Menu.Item component={Link} href="/account">
              {texts.persons.account}
            </Menu.Item>
            <Menu.Item onClick={() => leaving.ask(signOut)}>{texts.signOut}</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
      {isSignedIn && (
        <Dialog title={texts.stillSignedIn} close={() => setSignedIn(false)}>
          {alert}
          <DialogButtons
            {...{ isSending }}
            label={texts.signOut}
            act={signOut}
            close={() => setSignedIn(false)}
          />
        </Dialog>
      )}
    </Group>
  );
}
