/** Bodies of webhooks: equal endpoints share those whose building has not started. */
import { setImmediate } from 'node:timers/promises';
import type { ContentAccess } from '../../src/content/access/content-access.ts';
import type { Database } from '../../src/content/store/database.ts';
import type { ModelWatch } from '../../src/content/documents/model-watch.ts';
import type { Documents } from '../../src/content/documents/documents.service.ts';
import { buildSchema } from '../../src/content/model/build-schema.ts';
import type { LoggedEvent } from '../../src/features/events/logged-event.ts';
import { WebhookEntries } from '../../src/features/events/webhooks/webhook-entry.ts';
import type { WebhookEndpoint } from '../../src/features/events/webhooks/endpoint.ts';

const schema = buildSchema(
  [
    {
      kind: 'collectionType',
      singularApiId: 'memo',
      pluralApiId: 'memos',
      attributes: { title: { type: 'string' } },
    },
  ],
  [],
);
const eventOf = (id: string): LoggedEvent => ({
  id,
  at: '2026-11-28T10:00:00.000Z',
  name: 'entry.create',
  type: 'memo',
  documentId: 'abcdefghijklmnopqrstuvwx',
  locale: null,
  action: 'create',
  actor: { kind: 'system', id: null },
  requestId: null,
  attributes: ['title'],
  published: true,
});
const endpoint = (name: string, more: Partial<WebhookEndpoint> = {}): WebhookEndpoint => ({
  name,
  url: `https://${name}.example`,
  ...more,
});

/** Reads that answer when `answer` is called, with the number of the read as title. */
class Reads {
  private readonly waiting: (() => void)[] = [];
  count = 0;

  plan(): object {
    return {};
  }

  read(): Promise<{ readonly data: string }> {
    const data = JSON.stringify([{ title: String((this.count += 1)) }]);
    return new Promise((resolve) => this.waiting.push(() => resolve({ data })));
  }

  async answer(): Promise<void> {
    while (this.waiting.length > 0) {
      for (const respond of this.waiting.splice(0)) respond();
      await setImmediate();
    }
  }
}

const titleOf = (body: string | null): string =>
  (JSON.parse(body ?? '') as { readonly entry: { readonly title: string } }).entry.title;

describe('bodies of webhooks', () => {
  it('are shared by equal endpoints while they wait, and read after they were requested', async () => {
    const reads = new Reads();
    const entries = new WebhookEntries(
      schema,
      reads as unknown as Documents,
      {} as ContentAccess,
      {} as Database,
      {} as ModelWatch,
      null,
    );
    const started = ['1', '2', '3', '4'].map((id) => entries.bodyOf(endpoint('a'), eventOf(id)));
    await setImmediate();
    expect(reads.count).toBe(4);
    const later = [
      entries.bodyOf(endpoint('a'), eventOf('5')),
      entries.bodyOf(endpoint('b'), eventOf('5')),
      entries.bodyOf(endpoint('c', { populate: [] }), eventOf('5')),
      // A read of this event runs already: what it found may be older than this request.
      entries.bodyOf(endpoint('b'), eventOf('4')),
    ];
    await reads.answer();
    expect((await Promise.all(started)).map(titleOf)).toEqual(['1', '2', '3', '4']);
    expect((await Promise.all(later)).map(titleOf)).toEqual(['5', '5', '6', '7']);
  });
});
