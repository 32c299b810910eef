/**
 * Benches:
 *
 * ```
 * npm run bench -- read [--seconds 8] [--connections 10] [--rows 10000,1000000] [--only name] [--no-reference]
 * npm run bench -- write [--seconds 10] [--connections 10] [--rounds 7] [--rows 10000] [--only post|put] [--no-reference]
 * npm run bench -- write-cpu [--requests 1200] [--rounds 7] [--only post|put] [--library] [--profile folder]
 * npm run bench -- access [--tries 2000]
 * npm run bench -- conditions [--seconds 4] [--rounds 7] [--teams 1000] [--rows 50000] [--cache]
 * npm run bench -- publish [--tries 15] [--links 550] [--locales 35]
 * npm run bench -- bulk [--items 1000] [--rounds 5]
 * npm run bench -- crowd [--seconds 10] [--rows 200000]
 * npm run bench -- cache [--seconds 6] [--connections 1,32] [--writes 0,10,100,400] [--only list-populated]
 * npm run bench -- ledger [--seconds 10] [--rounds 7] [--totals 10000,1000000]
 * npm run bench -- replicas [--tries 100000] [--seconds 14] [--rounds 7]
 * npm run bench -- upload [--uploads 500] [--megabytes 5] [--pictures 40] [--rounds 3] [--seconds 5] [--files 100000] [--only memory]
 * npm run bench -- desk [--visits 15] [--keys 150] [--rows 500] [--words 20000] [--types 300] [--only lists,many,keys]
 * npm run bench -- compare --before FOLDER [--only read|write|post] [--adapters express,fastify] [--seconds 6] [--rounds 7]
 * npm run bench -- events [--only writers|deliveries|listeners] [--seconds 14] [--rounds 9] [--events 5000] [--listeners 2000]
 * npm run bench -- history [--seconds 14] [--rounds 9] [--versions 10000] [--tries 60]
 * npm run bench -- layout [--before FOLDER]
 * npm run bench -- archive [--documents 60000] [--rounds 3]
 * npm run bench -- types [--types 60] [--tries 5]
 * npm run bench -- scale [--documents 1000000] [--tries 5]
 * ```
 */
const benches = {
  read: () => import('./read/bench.mjs'),
  write: () => import('./write/bench.mjs'),
  'write-cpu': () => import('./write/cpu.mjs'),
  access: () => import('./access/bench.mjs'),
  conditions: () => import('./access/conditions.mjs'),
  publish: () => import('./publish/bench.mjs'),
  bulk: () => import('./bulk/bench.mjs'),
  cache: () => import('./cache/bench.mjs'),
  ledger: () => import('./ledger/bench.mjs'),
  replicas: () => import('./replicas/bench.mjs'),
  crowd: () => import('./crowd/bench.mjs'),
  upload: () => import('./upload/bench.mjs'),
  desk: () => import('./desk/bench.mjs'),
  compare: () => import('./compare/bench.mjs'),
  events: () => import('./events/bench.mjs'),
  history: () => import('./history/bench.mjs'),
  layout: () => import('./layout/bench.mjs'),
  archive: () => import('./archive/bench.mjs'),
  types: () => import('./types/bench.mjs'),
  scale: () => import('./scale/bench.mjs'),
};

const [name, ...args] = process.argv.slice(2);
if (!Object.hasOwn(benches, name ?? '')) {
  console.error(`Usage: npm run bench -- <${Object.keys(benches).join('|')}> [options]`);
  process.exit(2);
}
const { bench } = await benches[name]();
await bench(args);
process.exit(); // A driver may still have open handles.
