/**
 * Preload for a server. The signal USR2 starts a CPU profile. The next one stops it and writes it to the
 * folder PROFILES, in the format of Chrome's developer tools.
 */
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';

const INTERVAL_US = 200;

let session = null;
let written = 0;

process.on('SIGUSR2', async () => {
  if (session === null) {
    session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: INTERVAL_US });
    await session.post('Profiler.start');
    return;
  }
  const ending = session;
  session = null;
  const { profile } = await ending.post('Profiler.stop');
  writeFileSync(join(process.env.PROFILES, `${(written += 1)}.cpuprofile`), JSON.stringify(profile));
  ending.disconnect();
});
