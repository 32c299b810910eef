/** Requests of the webhooks screen. Lists have a key of `MANAGED`, and are read again after each change. */
import { useQuery } from '@tanstack/react-query';
import { type Ask, request } from '../../api/http.ts';
import { MANAGED } from '../../parts/changes.ts';
import { settings } from '../../settings.ts';

/** Name of an event for editors; of an unknown one, its code. */
export const eventName = (names: Readonly<Record<string, string>>, code: string): string =>
  (Object.hasOwn(names, code) ? names[code] : undefined) ?? code;

export interface Webhook {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly events?: readonly string[];
  readonly types?: readonly string[];
  readonly inCode: boolean;
  readonly enabled: boolean;
  readonly disabled: string | null;
  readonly failingSince: string | null;
  readonly lag: number;
  readonly pending: number;
  readonly failed: number;
}

export interface Attempt {
  readonly event: string;
  readonly at: string;
  readonly status: number | null;
  readonly milliseconds: number;
  readonly failure: string | null;
}

/** Members that the form of a webhook has. */
export interface WebhookInput {
  readonly name: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly types: readonly string[];
}

const ask = async <T>(path: string, options: Ask = {}): Promise<T> =>
  (await request<{ data: T }>(`${settings.api}/webhooks${path}`, options)).body.data;

const pathOf = (id: string): string => `/${encodeURIComponent(id)}`;
/** Milliseconds after which open screens are read again: events are delivered in the meantime. */
const REFRESH = 5000;

export const useWebhooks = () =>
  useQuery({
    queryKey: [MANAGED, 'webhooks'],
    queryFn: () => ask<readonly Webhook[]>(''),
    refetchInterval: REFRESH,
  });

/** Webhooks by id, for texts about them. */
export const useWebhookNames = (isAllowed: boolean) =>
  useQuery({
    queryKey: [MANAGED, 'webhooks'],
    queryFn: () => ask<readonly Webhook[]>(''),
    enabled: isAllowed,
  });

export const useWebhook = (id: string) =>
  useQuery({
    queryKey: [MANAGED, 'webhooks', id],
    queryFn: () => ask<Webhook>(pathOf(id)),
    refetchInterval: REFRESH,
  });

export const useAttempts = (id: string) =>
  useQuery({
    queryKey: [MANAGED, 'webhooks', id, 'attempts'],
    queryFn: () => ask<readonly Attempt[]>(`${pathOf(id)}/attempts`),
    refetchInterval: REFRESH,
  });

/** Body of a write. An omitted member stays; an empty list is null, for all. */
const sent = (input: Partial<WebhookInput>): object => ({
  data: Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      Array.isArray(value) && value.length === 0 ? null : value,
    ]),
  ),
});

/** Returns the secret, which no other response contains. */
export const createWebhook = async (input: Partial<WebhookInput>): Promise<string> =>
  (await ask<{ secret: string }>('', { method: 'POST', body: sent(input) })).secret;

export const changeWebhook = (id: string, input: Partial<WebhookInput>): Promise<Webhook> =>
  ask(pathOf(id), { method: 'PUT', body: sent(input) });

export const switchWebhook = (id: string, enabled: boolean): Promise<Webhook> =>
  ask(pathOf(id), { method: 'PUT', body: { data: { enabled } } });

export const deleteWebhook = (id: string): Promise<unknown> =>
  request(`${settings.api}/webhooks${pathOf(id)}`, { method: 'DELETE' });

const act = <T>(id: string, action: string, data: object = {}): Promise<T> =>
  ask(`${pathOf(id)}/${action}`, { method: 'POST', body: { data } });

export const rotateSecret = async (id: string): Promise<string> =>
  (await act<{ secret: string }>(id, 'rotate')).secret;
export const enableWebhook = (id: string): Promise<Webhook> => act(id, 'enable');
export const testWebhook = async (id: string): Promise<number | null> =>
  (await act<{ status: number | null }>(id, 'test')).status;
export const replayEvents = async (id: string, which: { event?: string; since?: string }): Promise<number> =>
  (await act<{ replayed: number }>(id, 'replay', which)).replayed;
