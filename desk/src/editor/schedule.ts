import { request } from '../api/http.ts';
import { settings } from '../settings.ts';
import type { Place } from './requests.ts';

export interface Times {
  /** ISO 8601 in UTC; null for no time. */
  readonly publishAt: string | null;
  readonly unpublishAt: string | null;
}

export interface Schedule extends Times {
  readonly failures: readonly { readonly action: string; readonly at: string; readonly message: string }[];
}

const pathOf = ({ type, documentId }: Place): string =>
  `${settings.api}/${type.route}${documentId === null ? '' : `/${documentId}`}/actions/schedule`;

const queryOf = ({ type, locale }: Place) => (type.localized ? { locale } : {});

export const readSchedule = async (place: Place): Promise<Schedule> =>
  (await request<{ data: Schedule }>(pathOf(place), { query: queryOf(place) })).body.data;

export const writeSchedule = async (place: Place, times: Times): Promise<Schedule> => {
  const options = { method: 'PUT', query: queryOf(place), body: { data: times } } as const;
  return (await request<{ data: Schedule }>(pathOf(place), options)).body.data;
};
