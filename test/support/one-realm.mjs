/** Test environment that uses the globals of the process instead of a new `vm` context for each suite. */
import { ModuleMocker } from 'jest-mock';
import { startCounting, writeCounts } from './source-coverage.mjs';

/** Folder for the called functions of each suite, set by `npm run sources`. */
const { SOURCES } = process.env;

export default class OneRealm {
  // Jest sets globals of the suite on this object, so that `process` and `process.exit` stay unchanged.
  global = Object.create(globalThis, { process: { value: Object.create(process) } });
  moduleMocker = new ModuleMocker(globalThis);

  constructor(_config, { testPath }) {
    this.testPath = testPath;
  }

  getVmContext() {
    return null;
  }

  async setup() {
    if (SOURCES) await startCounting();
  }

  async teardown() {
    if (SOURCES) await writeCounts(SOURCES, this.testPath);
  }
}
