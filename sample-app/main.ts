import { startAtlas } from './atlas.js';
import { LoadStopped } from './loader/atlas-loader.js';
import { readSettings } from './settings.js';

/** Node tries every address of a host. If all fail, the combined error has a code and no message. */
const reason = (error: unknown): unknown =>
  error instanceof Error ? error.message || (error as NodeJS.ErrnoException).code : error;

try {
  await startAtlas({ ...readSettings(process.env), log: (line) => console.log(line) });
} catch (error) {
  const stopped = error instanceof LoadStopped;
  if (!stopped) console.error(reason(error));
  // An open PGlite keeps Node running, so the process must exit explicitly.
  process.exit(stopped ? 0 : 1);
}
