/** Changes of what has screens of its own: people, roles, tokens, webhooks and releases. */
import { useQueryClient } from '@tanstack/react-query';
import { type Sending, useSending } from './sending.tsx';

/** First part of the query keys of those screens. */
export const MANAGED = 'managed';

/** Sends changes. The lists of those screens are read again after each. */
export function useChanges(): Sending {
  const client = useQueryClient();
  const { send, ...sending } = useSending();
  return {
    ...sending,
    send: (work) => send(work).finally(() => void client.invalidateQueries({ queryKey: [MANAGED] })),
  };
}
