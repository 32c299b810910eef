import { randomBytes } from 'node:crypto';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { ApiTokens } from 'nestjs-content-api/accounts';
import { AtlasContent } from '../loader/atlas-content.js';
import { documentIds, type Ids } from '../loader/collection.js';
import { type Progress, type Run, runStep } from '../loader/run.js';
import { EDIT } from '../texts/drafts.js';
import { STORIES } from '../texts/stories.js';
import { drawCover, drawFlag } from './draw.js';

/** Number of concurrent uploads. */
const PARALLEL = 4;

/** Missing picture of an entry. */
interface Missing {
  readonly name: string;
  readonly alternativeText: string;
  readonly draw: () => Promise<Buffer>;
  /** Target of the upload: type, document and attribute. */
  readonly ref: string;
  readonly refId: string;
  readonly field: string;
}

/**
 * Uploads flags and covers over HTTP, as any client does, each linked to its country or story. An interrupted
 * load continues at the next start, because it asks the database for missing pictures.
 */
@Injectable()
export class PictureLoader implements BeforeApplicationShutdown {
  private readonly stop = new AbortController();
  private running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly content: AtlasContent,
    @Inject(ApiTokens) private readonly tokens: ApiTokens,
  ) {}

  /** Uploads the missing pictures to the server. Resolves with their number. */
  load(url: string, onProgress: (progress: Progress) => void = () => undefined): Promise<number> {
    const running = this.loadMissing(url, { signal: this.stop.signal, parallel: PARALLEL, onProgress });
    this.running = running.catch(() => undefined);
    return running;
  }

  private async loadMissing(url: string, run: Run): Promise<number> {
    const items = [...(await this.missingFlags()), ...(await this.missingCovers())];
    if (items.length === 0) return 0;
    // The token expires after a day, in case the process dies before it revokes it.
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

  /** Skips a story whose draft differs from the published version, because a link would publish the draft. */
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

  /** Running uploads need the server, so the shutdown waits for them. */
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
