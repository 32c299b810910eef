/** Hooks after the commit that write themselves: the slot and the turn of the document are free for them. */
import { Injectable } from '@nestjs/common';
import {
  type ContentEvent,
  ContentService,
  defineCollectionType,
  getContentToken,
  OnContentCommitted,
} from 'nestjs-content-api';
import { adaptersFor } from '../support/adapters.ts';
import { createTestApp, type TestApp } from '../support/app.ts';

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  attributes: { title: { type: 'string' }, notified: { type: 'integer', default: 0 } },
});

let notes: ContentService<{ documentId: string; notified: number }>;

@Injectable()
class Notifier {
  @OnContentCommitted('note', 'update')
  async notify({ documentId, caller, document }: ContentEvent): Promise<void> {
    if (caller.kind === 'system' || documentId === null) return;
    await notes.update(documentId, { notified: Number(document?.['notified']) + 1 });
  }
}

describe.each(adaptersFor('express'))('hooks after the commit on %s', (adapter) => {
  let test: TestApp;
  let path: string;
  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes: [note],
        access: { public: { note: '*' } },
        providers: [Notifier],
        load: { queueTimeout: 500 },
      },
      adapter,
    );
    notes = test.app.get(getContentToken('note'), { strict: false });
    path = `/api/notes/${(await notes.create({ title: 'First' })).documentId}`;
  });
  afterAll(() => test.close());

  it.each([
    ['without a key', {}],
    ['with an Idempotency-Key', { 'idempotency-key': 'once' }],
  ])('can update their document after a write %s', async (_name, headers) => {
    const { body } = await test.http.get(path).expect(200);
    await test.http
      .put(path)
      .set(headers)
      .send({ data: { title: 'Second' } })
      .expect(200);
    const after = await test.http.get(path).expect(200);
    expect(after.body.data.notified).toBe(body.data.notified + 1);
  });
});
