import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { ATLAS_DATABASE, type AtlasDatabase } from '../database/atlas-database.js';
import { AtlasContent } from './atlas-content.js';
import { isComplete } from './is-complete.js';
import { loadCountries } from './load-countries.js';
import { loadHomepage } from './load-homepage.js';
import { loadStories } from './load-stories.js';
import type { Progress, Run } from './run.js';
import { readWorld, type World } from './world.js';

export interface LoadOptions {
  readonly onProgress?: (progress: Progress) => void;
  /** Three-letter codes of the only countries to load. Default: all. */
  readonly countries?: readonly string[];
}

/** The loader was told to stop. What it has written so far is kept, and the next load goes on from there. */
export class LoadStopped extends Error {
  override readonly name = 'LoadStopped';
}

/**
 * Fills the atlas. A load may end anywhere, `kill -9` included, and be repeated: each write is one
 * transaction, each step asks the database what is missing, and a unique code of every document is the last
 * guard against doubles.
 */
@Injectable()
export class AtlasLoader implements BeforeApplicationShutdown {
  private readonly stop = new AbortController();
  private running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly content: AtlasContent,
    @Inject(ATLAS_DATABASE) private readonly database: AtlasDatabase,
  ) {}

  /** Loads what is missing. Resolves to false when nothing was. */
  load(options: LoadOptions = {}): Promise<boolean> {
    const running = this.loadMissing(options);
    this.running = running.catch(() => undefined);
    return running;
  }

  private async loadMissing({ countries, onProgress = () => undefined }: LoadOptions): Promise<boolean> {
    const world = readWorld(countries);
    if (await isComplete(this.content, world)) return false;
    const run: Run = { signal: this.stop.signal, parallel: this.database.parallelWrites, onProgress };
    await this.database.alone(() => this.fill(world, run));
    if (!(await isComplete(this.content, world)))
      throw new Error('The atlas is still incomplete after loading; is something else writing to it?');
    return true;
  }

  private async fill(world: World, run: Run): Promise<void> {
    const countries = await loadCountries(this.content, world, run);
    const stories = await loadStories(this.content, countries, run);
    await loadHomepage(this.content, { stories, countries }, run);
  }

  /** The connection closes after this: let the write that is under way finish. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stop.abort(new LoadStopped('The load was stopped'));
    await this.running;
  }
}
