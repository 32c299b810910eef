/** Test environment that uses the globals of the process instead of a new `vm` context for each suite. */
import { ModuleMocker } from 'jest-mock';

export default class OneRealm {
  // Jest sets globals of the suite on this object, so that `process` and `process.exit` stay unchanged.
  global = Object.create(globalThis, { process: { value: Object.create(process) } });
  moduleMocker = new ModuleMocker(globalThis);

  getVmContext() {
    return null;
  }

  setup() {}

  teardown() {}
}
