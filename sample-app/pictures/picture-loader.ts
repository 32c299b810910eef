import { randomBytes } from 'node:crypto';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { ApiTokens } from 'nestjs-content-api/accounts';
import { AtlasContent } from '../loader/atlas-content.js';
import { documentIds, type Ids } from '../loader/collection.js';
import { type Progress, type Run, runStep } from '../loader/run.js';
import { EDIT } from '../texts/drafts.js';
import { STORIES } from '../texts/stories.js';
import { drawCover, drawFlag } from './draw.js';

/** How many pictures are sent at a time. */
const PARALLEL = 4;

/** A picture that an entry lacks. */
interface Missing {
  readonly name: string;
  readonly alternativeText: string;
  readonly draw: () => Promise<Buffer>;
  /** Where it goes: a type, a document and an attribute. */
  readonly ref: string;
  readonly refId: string;
  readonly field: string;
}

/**
 * Uploads flags and covers over HTTP, as any client would, each linked to its country or story. Whatever is
 * interrupted goes on with the next start: what is missing is asked of the database.
 */
@Injectable()
export class PictureLoader implements BeforeApplicationShutdown {
  private readonly stop = new AbortController();
  private running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly content: AtlasContent,
    @Inject(ApiTokens) private readonly tokens: ApiTokens,
  ) {}

  /** Uploads what is missing to the server at a URL. Resolves to how many pictures that were. */
  load(url: string, onProgress: (progress: Progress) => void = () => undefined): Promise<number> {
    const running = this.loadMissing(url, { signal: this.stop.signal, parallel: PARALLEL, onProgress });
    this.running = running.catch(() => undefined);
    return running;
  }

  private async loadMissing(url: string, run: Run): Promise<number> {
    const items = [...(await this.missingFlags()), ...(await this.missingCovers())];
    if (items.length === 0) return 0;
    // For a day at most, should the process die before it is revoked.
    const name = `pictures ${randomBytes(4).toString('hex')}`;
    const { token, documentId } = await this.tokens.create({ name, kind: 'full-access', days: 1 });
    const work = (one: Missing): Promise<void> => upload(`${url}/api/upload`, token, one);
    try {
      await runStep({ name: 'pictures', items, total: items.length, work }, run);
    } finally {
      await this.tokens.revoke(documentId);
    }
    return items.length;
  }

  private async missingFlags(): Promise<Missing[]> {
    const without = { filters: { flagPicture: { id: { $null: true } } } };
    return [...(await documentIds(this.content.countries, 'cca3', without))].map(([cca3, refId]) => ({
      name: `${cca3.toLowerCase()}.png`,
      alternativeText: `Flag of ${cca3}`,
      draw: () => drawFlag(cca3),
      ref: 'country',
      refId,
      field: 'flagPicture',
    }));
  }

  /** A story that was edited since it was published stays as it is: a link would publish the edit. */
  private async missingCovers(): Promise<Missing[]> {
    const ids: Ids = await documentIds(this.content.stories, 'slug', {
      filters: { cover: { id: { $null: true } } },
    });
    return STORIES.flatMap(({ slug, title, countries }): Missing[] => {
      const refId = ids.get(slug);
      if (refId === undefined || slug === EDIT.slug) return [];
      const draw = (): Promise<Buffer> => drawCover(countries);
      return [{ name: `${slug}.png`, alternativeText: title, draw, ref: 'story', refId, field: 'cover' }];
    });
  }

  /** Requests need the server: let those that are under way finish. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stop.abort(new Error('The pictures were stopped'));
    await this.running;
  }
}

async function upload(
  url: string,
  token: string,
  { draw, name, alternativeText, ...entry }: Missing,
): Promise<void> {
  const form = new FormData();
  form.append('files', new Blob([new Uint8Array(await draw())], { type: 'image/png' }), name);
  form.append('fileInfo', JSON.stringify({ alternativeText }));
  for (const [field, value] of Object.entries(entry)) form.append(field, value);
  const answer = await fetch(url, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}` },
    body: form,
  });
  if (!answer.ok) throw new Error(`The picture ${name} was refused: ${await answer.text()}`);
}
