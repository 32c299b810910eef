import { Badge } from '@mantine/core';
import { useTexts } from '../../texts/texts.ts';
import type { Webhook } from './requests.ts';

type State = 'on' | 'off' | 'failing' | 'disabled';

const COLOURS: Readonly<Record<State, string>> = {
  on: 'published',
  off: 'missing',
  failing: 'modified',
  disabled: 'modified',
};

function stateOf({ enabled, disabled, failingSince }: Webhook): State {
  if (disabled !== null) return 'disabled';
  if (!enabled) return 'off';
  return failingSince === null ? 'on' : 'failing';
}

export function StateBadge({ webhook }: { readonly webhook: Webhook }) {
  const { webhooks: texts } = useTexts();
  const state = stateOf(webhook);
  return (
    <Badge variant="light" color="gray" tt="none" className={`desk-status desk-status-${COLOURS[state]}`}>
      {texts.states[state]}
    </Badge>
  );
}
