import { isPassing, messageOf } from '../api/errors.ts';
import { type Sent, sendForm } from '../api/send-form.ts';
import { type Json, type Link, linkOf } from '../form/values.ts';
import { acceptsType } from '../model/media-kinds.ts';
import type { Model } from '../model/model.ts';
import { settings } from '../settings.ts';
import { leaving } from './leaving.ts';
import { Observed } from './observed.ts';

interface Target extends Sent {
  /** Folder of the library; null for its root. */
  readonly folder?: string | null;
  /** Description of the file. */
  readonly info?: Json;
}

/** Stores one file in the library, once for each `key` of the target. Throws an ApiError. */
export async function upload(
  file: File,
  model: Model,
  { folder, info, ...sent }: Target = {},
): Promise<Link> {
  const form = new FormData();
  const fileInfo = { ...info, ...(folder === undefined || folder === null ? {} : { folder }) };
  if (Object.keys(fileInfo).length > 0) form.append('fileInfo', JSON.stringify(fileInfo));
  form.append('files', file, file.name);
  const [stored] = await sendForm<readonly Json[]>(`${settings.api}/upload`, form, sent);
  if (stored === undefined) throw new Error('The server stored no file');
  return linkOf(stored, 'file', model);
}

/** File on its way to the library, or one that was refused. */
export interface Upload {
  readonly key: number;
  readonly name: string;
  /** Share of its bytes that are sent, from 0 to 1. */
  readonly share: number;
  /** Reason of the failure; null while it is sent. */
  readonly failure: string | null;
  /** Whether the server may accept the file if it is sent again. */
  readonly mayRetry: boolean;
}

interface Waiting {
  readonly file: File;
  readonly folder: string | null;
  /** Key of its requests: a file whose response was lost is not stored again. */
  readonly request: string;
}

interface Options {
  readonly model: Model;
  /** Folder for new files. */
  readonly folder: () => string | null;
  readonly stored: (link: Link) => void;
  /** Called with the name of a file that was refused. */
  readonly failed?: (name: string, reason: string) => void;
  /** Form that the files are for; none for the library. */
  readonly scope?: object;
  /** Kinds of files that the attribute accepts; none for all. */
  readonly allowed?: readonly string[];
}

let lastKey = 0;

/** Uploads one file after the other. A refused file stays in the list until it is sent again or dropped. */
export class Uploads extends Observed<{ readonly uploads: readonly Upload[] }> {
  private readonly files = new Map<number, Waiting>();
  private readonly waiting: number[] = [];
  private running: AbortController | null = null;

  constructor(private readonly options: Options) {
    super({ uploads: [] });
  }

  add(files: readonly File[]): void {
    // Another folder may be shown before the file is sent.
    const folder = this.options.folder();
    const added = files.map((file): Upload => {
      const key = (lastKey += 1);
      this.files.set(key, { file, folder, request: crypto.randomUUID() });
      this.waiting.push(key);
      return { key, name: file.name, share: 0, failure: null, mayRetry: false };
    });
    this.show({ uploads: [...this.snapshot.uploads, ...added] });
    void this.run();
  }

  retry(key: number): void {
    this.change(key, { share: 0, failure: null });
    this.waiting.push(key);
    void this.run();
  }

  /** Removes a file from the list, and stops its upload. */
  drop(key: number): void {
    const at = this.waiting.indexOf(key);
    if (at >= 0) this.waiting.splice(at, 1);
    else if (this.snapshot.uploads.some((one) => one.key === key && one.failure === null))
      this.running?.abort();
    this.forget(key);
  }

  private forget(key: number): void {
    this.files.delete(key);
    this.show({ uploads: this.snapshot.uploads.filter((one) => one.key !== key) });
  }

  private change(key: number, change: Partial<Upload>): void {
    this.show({
      uploads: this.snapshot.uploads.map((one) => (one.key === key ? { ...one, ...change } : one)),
    });
  }

  private async run(): Promise<void> {
    if (this.running !== null) return;
    const { scope } = this.options;
    // Without a form, files arrive in the library whatever page is shown.
    const release = leaving.hold(scope === undefined ? null : 'upload', scope);
    for (let key = this.waiting.shift(); key !== undefined; key = this.waiting.shift()) await this.send(key);
    release();
    this.running = null;
  }

  private async send(key: number): Promise<void> {
    const waiting = this.files.get(key);
    if (waiting === undefined) return;
    const { file, folder, request } = waiting;
    const { model, stored, failed, allowed = [] } = this.options;
    this.running = new AbortController();
    const { signal } = this.running;
    const progress = (share: number): void => this.change(key, { share });
    try {
      // The library would keep a file that the attribute refuses.
      if (!acceptsType(allowed, file.type))
        throw new Error(`The file is not of the allowed types: ${allowed.join(', ')}`);
      const link = await upload(file, model, { folder, progress, signal, key: request });
      this.forget(key);
      stored(link);
    } catch (error) {
      if (signal.aborted) return;
      this.change(key, { failure: messageOf(error), mayRetry: isPassing(error) });
      failed?.(file.name, messageOf(error));
    }
  }
}
