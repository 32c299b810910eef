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
  /** Three-letter codes of the countries to load. Default: all. */
  readonly countries?: readonly string[];
}

/** Error of a load that was stopped. Written documents stay, and the next load continues. */
export class LoadStopped extends Error {
  override readonly name = 'LoadStopped';
}

/**
 * Fills the atlas. A load can end at any time, even by `kill -9`, and run again. Each write is one
 * transaction, each step asks the database for missing rows, and unique codes prevent duplicates.
 */
@Injectable()
export class AtlasLoader implements BeforeApplicationShutdown {
  private readonly stop = new AbortController();
  private running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly content: AtlasContent,
    @Inject(ATLAS_DATABASE) private readonly database: AtlasDatabase,
  ) {}

  /** Loads missing documents. Resolves with false if none was missing. */
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

  /** The connection closes after this hook, so it waits for the current write. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stop.abort(new LoadStopped('The load was stopped'));
    await this.running;
  }
}
