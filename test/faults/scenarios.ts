/** Writes of every kind on a small set of documents. */
import { type ContentService, getContentToken } from 'nestjs-content-api';
import type { BusyApp, Reply } from '../concurrency/app.ts';

export type Ids = Readonly<Record<string, string>>;

export interface Scenario {
  readonly name: string;
  /** Sends the write; a status of 400 and above is a failure. */
  readonly run: (app: BusyApp, ids: Ids) => Promise<Reply>;
  /** Whether it is refused without a fault too. */
  readonly refused?: boolean;
}

const box = (ids: Ids, label: string): object => ({
  label,
  topic: ids['t1'],
  topics: [ids['t2'], ids['t0']],
  badges: [{ text: `${label} 1` }, { text: `${label} 2` }],
});
const zone = (ids: Ids, label: string): object[] => [
  { __component: 'shared.badge', text: label },
  { __component: 'shared.box', ...box(ids, label) },
];

const everything = (ids: Ids, label: string): object => ({
  title: label,
  rank: label.length,
  topics: [ids['t3'], ids['t1'], ids['t0']],
  main: ids['t2'],
  emblem: ids['t1'],
  list: [ids['t2'], ids['t3']],
  badges: [{ text: `${label} a` }, { text: `${label} b` }, { text: `${label} c` }],
  box: box(ids, label),
  zone: zone(ids, label),
});

/** Returns the result as a response: an error of the service has a status, or is a 500. */
async function call(
  app: BusyApp,
  type: string,
  work: (service: ContentService) => Promise<unknown>,
): Promise<Reply> {
  try {
    const result = await work(app.app.get<ContentService>(getContentToken(type), { strict: false }));
    return { status: 200, text: '', body: { data: result } };
  } catch (error) {
    const { status = 500, name } = error as { status?: number; name?: string };
    return { status, text: '', body: { error: { name } } };
  }
}

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'POST, published, all relations and components',
    run: ({ client }, ids) => client.post('/api/stories', everything(ids, 'brand new')),
  },
  {
    name: 'POST a draft',
    run: ({ client }, ids) => client.post('/api/stories?status=draft', everything(ids, 'brand new')),
  },
  {
    name: 'POST with a unique value and a generated uid',
    run: ({ client }, ids) =>
      client.post('/api/people', {
        name: 'Taken Name',
        code: 'fresh',
        groups: [ids['g1'], ids['g0']],
        home: ids['g0'],
        partner: ids['p1'],
        children: [ids['p0']],
        friendOf: [ids['p2']],
      }),
  },
  {
    name: 'PUT and publish, all relations and components',
    run: ({ client }, ids) => client.put(`/api/stories/${ids['s0']}`, everything(ids, 'rewritten')),
  },
  {
    name: 'PUT a draft',
    run: ({ client }, ids) =>
      client.put(`/api/stories/${ids['s0']}?status=draft`, everything(ids, 'rewritten')),
  },
  {
    name: 'PUT that publishes a draft for the first time',
    run: ({ client }, ids) => client.put(`/api/stories/${ids['s1']}`, {}),
  },
  {
    name: 'PUT of a new locale that changes what locales share',
    run: ({ client }, ids) =>
      client.put(`/api/stories/${ids['s0']}?locale=de`, { ...everything(ids, 'deutsch') }),
  },
  {
    name: 'PUT from the other sides',
    run: ({ client }, ids) =>
      client.put(`/api/topics/${ids['t0']}`, {
        name: 'other sides',
        stories: [ids['s1'], ids['s0']],
        mainOf: [ids['s1']],
        emblemOf: ids['s2'],
      }),
  },
  {
    name: 'PUT of relations to its own type',
    run: ({ client }, ids) =>
      client.put(`/api/people/${ids['p0']}`, {
        name: 'selves',
        partner: ids['p2'],
        partnerOf: ids['p1'],
        friends: { connect: [ids['p2']], disconnect: [ids['p1']] },
        friendOf: [ids['p1'], ids['p2']],
        children: [ids['p1']],
        parent: ids['p2'],
        groups: { connect: [{ documentId: ids['g1'], position: { start: true } }] },
      }),
  },
  {
    name: 'first PUT of a single type',
    run: ({ client }) => client.put('/api/frontpage', { heading: 'first', rank: 1 }),
  },
  {
    name: 'PUT of a single type',
    run: ({ client }) => client.put('/api/setting', { name: 'second', amount: 2 }),
  },
  { name: 'DELETE', run: ({ client }, ids) => client.delete(`/api/stories/${ids['s0']}`) },
  {
    name: 'DELETE of all locales',
    run: ({ client }, ids) => client.delete(`/api/stories/${ids['s0']}?locale=*`),
  },
  {
    name: 'DELETE of a target that is linked everywhere',
    run: ({ client }, ids) => client.delete(`/api/topics/${ids['t0']}`),
  },
  {
    name: 'DELETE of a person whom others name',
    run: ({ client }, ids) => client.delete(`/api/people/${ids['p1']}`),
  },
  { name: 'publish', run: (app, ids) => call(app, 'story', (stories) => stories.publish(ids['s1'] ?? '')) },
  {
    name: 'unpublish',
    run: (app, ids) => call(app, 'story', (stories) => stories.unpublish(ids['s0'] ?? '')),
  },
  {
    name: 'discardDraft',
    run: (app, ids) => call(app, 'story', (stories) => stories.discardDraft(ids['s0'] ?? '')),
  },
  {
    name: 'POST of a taken unique value',
    refused: true,
    run: ({ client }, ids) => client.post('/api/stories', { ...everything(ids, 'too late'), code: 'taken' }),
  },
  {
    name: 'PUT of a taken unique value',
    refused: true,
    run: ({ client }, ids) =>
      client.put(`/api/stories/${ids['s0']}`, { ...everything(ids, 'too late'), code: 'taken' }),
  },
  {
    name: 'PUT of a component id of another document',
    refused: true,
    run: ({ client }, ids) =>
      client.put(`/api/stories/${ids['s0']}`, {
        ...everything(ids, 'foreign'),
        badges: [{ id: 999_999, text: 'x' }],
      }),
  },
];

/** Creates the documents before each write. */
export async function seed({ client }: BusyApp): Promise<Ids> {
  const ids: Record<string, string> = {};
  const post = async (key: string, path: string, data: object): Promise<void> => {
    const { status, body, text } = await client.post(`/api/${path}`, data);
    if (status !== 201) throw new Error(`The seed failed: ${text}`);
    ids[key] = body.data.documentId;
  };
  for (let i = 0; i < 4; i += 1) await post(`t${i}`, 'topics', { name: `topic ${i}` });
  for (let i = 0; i < 2; i += 1) await post(`g${i}`, 'groups', { name: `group ${i}` });
  const [t0, t1, t2] = [ids['t0'], ids['t1'], ids['t2']];
  await post('s0', 'stories', { ...everything(ids, 'original'), topics: [t0, t1], main: t0, emblem: t0 });
  await client.put(`/api/stories/${ids['s0']}?locale=fr`, { title: 'français', box: { label: 'fr' } });
  // The draft differs from the published version.
  await client.put(`/api/stories/${ids['s0']}?status=draft`, {
    title: 'edited',
    topics: { connect: [t2], disconnect: [t0] },
    badges: [{ text: 'edited' }],
  });
  await post('s1', 'stories?status=draft', { ...everything(ids, 'only a draft'), emblem: null });
  await post('s2', 'stories', { title: 'holder', code: 'taken', emblem: t1, main: t0, topics: [t0] });
  await post('p0', 'people', { name: 'Taken Name', code: 'p0', groups: [ids['g0']], home: ids['g0'] });
  await post('p1', 'people', {
    name: 'person 1',
    code: 'p1',
    friends: [ids['p0']],
    partner: ids['p0'],
    parent: ids['p0'],
  });
  await post('p2', 'people', {
    name: 'person 2',
    code: 'p2',
    friends: [ids['p0'], ids['p1']],
    partner: ids['p1'],
    home: ids['g0'],
  });
  await client.put(`/api/people/${ids['p0']}`, { friends: [ids['p1']] });
  await client.put('/api/setting', { name: 'first', amount: 1 });
  return ids;
}
