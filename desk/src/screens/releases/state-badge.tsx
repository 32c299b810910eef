import { Badge } from '@mantine/core';
import { useTexts } from '../../texts/texts.ts';
import type { Release } from './requests.ts';

type State = Release['state'];

const CLASSES: Readonly<Record<State, string>> = {
  open: 'missing',
  scheduled: 'draft',
  failed: 'modified',
  released: 'published',
};

export function ReleaseBadge({ state }: { readonly state: State }) {
  const { releases: texts } = useTexts();
  return (
    <Badge variant="light" color="gray" tt="none" className={`desk-status desk-status-${CLASSES[state]}`}>
      {texts.states[state]}
    </Badge>
  );
}
