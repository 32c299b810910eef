/** Files that processes upload and replace endlessly; each content repeats one byte. */
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ContentModule, type ContentModuleOptions } from 'nestjs-content-api';
import { FilesModule, type FileStorage, LocalStorage } from 'nestjs-content-api/files';

export interface Place {
  readonly databaseUrl: string;
  readonly directory: string;
  /** Default: a {@link LocalStorage} in the directory. */
  readonly storage?: FileStorage;
  readonly limits?: ContentModuleOptions['limits'];
}

export interface FilesInstance {
  readonly app: NestFastifyApplication;
  readonly url: string;
}

export async function startFiles({
  databaseUrl,
  directory,
  storage,
  limits = {},
}: Place): Promise<FilesInstance> {
  class Files {}
  const app = await NestFactory.create<NestFastifyApplication>(
    {
      module: Files,
      imports: [
        ContentModule.forRoot({
          contentTypes: [],
          database: { clientUrl: databaseUrl },
          access: { public: { file: '*' } },
          limits,
        }),
        FilesModule.forRoot({ storage: storage ?? new LocalStorage(directory) }),
      ],
    },
    new FastifyAdapter(),
    { logger: ['fatal'] },
  );
  await app.listen(0, '127.0.0.1');
  return { app, url: await app.getUrl() };
}

/** Content of this many equal bytes. */
export const contentOf = (letter: number, size = 200_000): Buffer => Buffer.alloc(size, 97 + (letter % 26));

/** Uploads a file; with `id` as a replacement. Returns the response. */
export async function sendFile(
  url: string,
  bytes: Buffer,
  id?: number,
): Promise<{ readonly id: number; readonly url: string }> {
  const form = new FormData();
  form.append('files', new Blob([new Uint8Array(bytes)], { type: 'text/plain' }), 'busy.txt');
  const path = `/api/upload${id === undefined ? '' : `?id=${id}`}`;
  const answer = await fetch(url + path, { method: 'POST', body: form });
  const body: unknown = await answer.json();
  if (!answer.ok) throw new Error(`${answer.status} ${JSON.stringify(body)}`);
  return (id === undefined ? (body as unknown[])[0] : body) as { readonly id: number; readonly url: string };
}
