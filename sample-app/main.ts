import { startAtlas } from './atlas.js';
import { LoadStopped } from './loader/atlas-loader.js';
import { readSettings } from './settings.js';

/** Node tries every address of a host; when all fail, the error for all of them has a code and no message. */
const reason = (error: unknown): unknown =>
  error instanceof Error ? error.message || (error as NodeJS.ErrnoException).code : error;

try {
  await startAtlas({ ...readSettings(process.env), log: (line) => console.log(line) });
} catch (error) {
  const stopped = error instanceof LoadStopped;
  if (!stopped) console.error(reason(error));
  // Not by itself: an open PGlite keeps Node alive.
  process.exit(stopped ? 0 : 1);
}
