/** The environment of suites: that of the process itself, not one that is made and filled for each. */
import { ModuleMocker } from 'jest-mock';

export default class OneRealm {
  // What jest sets here is for this suite: the process and its `exit` stay what they are.
  global = Object.create(globalThis, { process: { value: Object.create(process) } });
  moduleMocker = new ModuleMocker(globalThis);

  getVmContext() {
    return null;
  }

  setup() {}

  teardown() {}
}
