/** Menu entries of users, roles and API tokens, for editors who may see them. */
import { Box, NavLink, Text } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import type { DeskModel } from '../../model/model.ts';
import { useTexts } from '../../texts/texts.ts';
import { useModel } from '../app.tsx';

type Screen = keyof DeskModel['people'];

/** Whether the editor may see a screen. */
export function hasScreen({ users, roles, tokens }: DeskModel['people'], screen: string): boolean {
  if (screen === 'users') return users.includes('find');
  if (screen === 'roles') return roles.includes('find') && roles.includes('findOne');
  return screen === 'tokens' && tokens.includes('find');
}

const SCREENS: readonly Screen[] = ['users', 'roles', 'tokens'];

export function PeopleNavigation({ close }: { readonly close: () => void }) {
  const texts = useTexts();
  const { people } = useModel();
  const [path] = useLocation();
  const screens = SCREENS.filter((screen) => hasScreen(people, screen));
  if (screens.length === 0) return null;
  return (
    <Box mb="md">
      <Text size="xs" fw={700} tt="uppercase" px="sm" py={4} c="dimmed">
        {texts.people}
      </Text>
      {screens.map((screen) => {
        const href = `/people/${screen}`;
        const isActive = path === href || path.startsWith(`${href}/`);
        return (
          <NavLink
            key={screen}
            component={Link}
            href={href}
            label={texts.persons[screen]}
            active={isActive}
            aria-current={isActive ? 'page' : undefined}
            onClick={close}
          />
        );
      })}
    </Box>
  );
}
