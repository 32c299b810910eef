import { startAtlas } from './atlas.js';
import { LoadStopped } from './loader/atlas-loader.js';
import { readSettings } from './settings.js';

try {
  await startAtlas({ ...readSettings(process.env), log: (line) => console.log(line) });
} catch (error) {
  const stopped = error instanceof LoadStopped;
  if (!stopped) console.error(error instanceof Error ? error.message : error);
  // Not by itself: an open PGlite keeps Node alive.
  process.exit(stopped ? 0 : 1);
}
