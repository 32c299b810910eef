/** Blocks the event loop of this process without using the processor. */
export const blockEventLoop = (milliseconds: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
};
