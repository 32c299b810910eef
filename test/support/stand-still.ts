/** Nothing of this process goes on meanwhile, and the processor is left to others. */
export const standStill = (milliseconds: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
};
