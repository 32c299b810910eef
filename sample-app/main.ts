import { startAtlas } from './atlas.js';
import { LoadStopped } from './loader/atlas-loader.js';
import { readSettings } from './settings.js';

const log = (line: string): void => console.log(line);

try {
  await startAtlas({ ...readSettings(process.env), log });
} catch (error) {
  if (error instanceof LoadStopped) {
    log('Stopped. The next start goes on from here.');
  } else {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
