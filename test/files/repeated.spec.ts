/** Uploads with an `Idempotency-Key`: files are stored once, and the response is repeated. */
import { failure } from '../http/helpers.ts';
import { ADAPTERS } from '../support/app.ts';
import { lookUntil } from '../support/look-until.ts';
import { createFilesApp, type FilesApp, formOf, PNG } from './helpers.ts';

interface Uploaded {
  readonly status: number;
  readonly replayed: string | null;
  readonly body: unknown;
}

const REUSED = failure(
  422,
  'UnprocessableEntityError',
  'This Idempotency-Key belongs to another request: use a new key',
);

describe.each(ADAPTERS)('repeated uploads on %s', (adapter) => {
  let api: FilesApp;
  beforeAll(async () => {
    api = await createFilesApp({}, adapter);
  });
  afterAll(() => api.close());

  const upload = async (key: string, body: FormData, as = 'editor'): Promise<Uploaded> => {
    const headers = { 'Idempotency-Key': key };
    const response = await api.ask('/api/upload', { method: 'POST', body, headers, as });
    const replayed = response.headers.get('Idempotency-Replayed');
    return { status: response.status, replayed, body: await response.json() };
  };
  const files = async (): Promise<readonly unknown[]> =>
    (await (await api.ask('/api/upload/files')).json()) as unknown[];
  const idIn = ({ body }: Uploaded): string => (body as { documentId: string }[])[0]?.documentId ?? '';

  it('20.1: store the files once, and repeat the response', async () => {
    const before = (await files()).length;
    const form = () => formOf([{ bytes: PNG }, { name: 'two.png', bytes: PNG }], { fileInfo: [{}, {}] });
    const first = await upload('twice', form());
    expect(first).toMatchObject({ status: 201, replayed: null });
    expect(await upload('twice', form())).toEqual({ ...first, replayed: 'true' });
    expect(await files()).toHaveLength(before + 2);
    const { body } = await upload('other', form());
    expect(body).not.toEqual(first.body);
    expect(await files()).toHaveLength(before + 4);
  });

  it('20.1: store the files of each caller', async () => {
    const [first, second] = [
      await upload('shared', formOf([{ bytes: PNG }])),
      await upload('shared', formOf([{ bytes: PNG }]), 'file-create'),
    ];
    expect([first.status, second.status, second.replayed]).toEqual([201, 201, null]);
    expect(idIn(second)).not.toBe(idIn(first));
  });

  it.each([
    ['bytes', formOf([{}])],
    ['name', formOf([{ bytes: PNG, name: 'other.png' }])],
    ['type', formOf([{ bytes: PNG, type: '' }])],
    ['number of files', formOf([{ bytes: PNG }, { bytes: PNG }])],
    ['fields', formOf([{ bytes: PNG }], { fileInfo: { caption: 'Other' } })],
  ])('20.1: refuse a key with other %s', async (what, form) => {
    expect((await upload(`"${what}"`, formOf([{ bytes: PNG }]))).status).toBe(201);
    const before = (await files()).length;
    const { status, body } = await upload(`"${what}"`, form);
    expect({ status, body }).toEqual({ status: 422, body: REUSED });
    expect(await files()).toHaveLength(before);
  });

  it('20.1: refuse a key of another write', async () => {
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': 'page' };
    const body = JSON.stringify({ data: { title: 'A' } });
    expect((await api.ask('/api/pages', { method: 'POST', headers, body })).status).toBe(201);
    expect((await upload('page', formOf([{ bytes: PNG }]))).status).toBe(422);
  });

  it('20.1: accept the key of a refused upload, and refuse an invalid key', async () => {
    expect((await upload('refused', formOf([]))).status).toBe(400);
    expect(await upload('refused', formOf([{ bytes: PNG }]))).toMatchObject({ status: 201, replayed: null });
    expect((await upload('"', formOf([{ bytes: PNG }]))).status).toBe(400);
  });

  it('20.1: store concurrent repetitions once', async () => {
    const before = (await files()).length;
    const form = () => formOf([{ bytes: PNG }]);
    const all = await Promise.all(Array.from({ length: 6 }, () => upload('at-once', form())));
    const stored = all.filter(({ status, replayed }) => status === 201 && replayed === null);
    expect(stored).toHaveLength(1);
    expect(all.every(({ status }) => [201, 409].includes(status))).toBe(true);
    expect(await files()).toHaveLength(before + 1);
  });

  it('20.5: link the files once', async () => {
    const headers = { 'Content-Type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify({ data: { title: 'Gallery' } }) };
    const page = (await (await api.ask('/api/pages', init)).json()) as { data: { documentId: string } };
    const { documentId } = page.data;
    const form = () => formOf([{ bytes: PNG }], { ref: 'page', refId: documentId, field: 'gallery' });
    for (let time = 0; time < 2; time += 1) expect((await upload('linked', form())).status).toBe(201);
    const read = await api.ask(`/api/pages/${documentId}?populate=gallery`);
    const { data } = (await read.json()) as { data: { gallery: unknown[] } };
    expect(data.gallery).toHaveLength(1);
  });

  it('20.9: leave no bytes of a file that was deleted before the repetition', async () => {
    const bytes = Buffer.concat([PNG, Buffer.from('deleted')]);
    const before = (await api.stored()).length;
    const first = await upload('deleted', formOf([{ bytes }]));
    await api.ask(`/api/upload/files/${idIn(first)}`, { method: 'DELETE' });
    expect(await upload('deleted', formOf([{ bytes }]))).toEqual({ ...first, replayed: 'true' });
    expect(await lookUntil(api.stored, ({ length }) => length === before)).toHaveLength(before);
  });
});
