/** Sorts more records than fit in memory, with sorted runs in files. */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { once } from 'node:events';
import { linesOf } from '../../kernel/lines.js';
import { AdoptError } from './adopt-error.js';

/** Record with the text it is sorted by. Keys contain no tab and no line break. */
export interface Sorted {
  readonly key: string;
  readonly value: unknown;
}

/** Characters of records in memory before they are written to a file. */
const RUN_CHARACTERS = 8 * 1024 * 1024;
/** Bytes that are read at once from each run. */
const READ_BYTES = 64 * 1024;
const LINE_ERRORS = { tooLong: () => new AdoptError('A row is too long to be sorted') };

const keyIn = (line: string): string => line.slice(0, line.indexOf('\t'));

interface Run {
  readonly lines: AsyncIterator<string>;
  line: string;
  key: string;
  readonly n: number;
}

/** Returns the next line; null at the end. */
async function nextLine(lines: AsyncIterator<string>): Promise<string | null> {
  const next = await lines.next();
  const line: unknown = next.value;
  return next.done !== true && typeof line === 'string' ? line : null;
}

const isBefore = (a: Run, b: Run): boolean => a.key < b.key || (a.key === b.key && a.n < b.n);

/** Moves the first run of a heap down to its place. */
function sink(heap: Run[], start = 0): void {
  for (let at = start; ;) {
    const [left, right] = [2 * at + 1, 2 * at + 2];
    let least = at;
    for (const one of [left, right]) {
      const [a, b] = [heap[one], heap[least]];
      if (a !== undefined && b !== undefined && isBefore(a, b)) least = one;
    }
    const [here, there] = [heap[at], heap[least]];
    if (least === at || here === undefined || there === undefined) return;
    [heap[at], heap[least]] = [there, here];
    at = least;
  }
}

const recordOf = (line: string): Sorted => {
  const tab = line.indexOf('\t');
  return { key: line.slice(0, tab), value: JSON.parse(line.slice(tab + 1)) as unknown };
};

/** Sorts records by key. Records with equal keys keep the order in which they were added. */
export class ExternalSort {
  private lines: string[] = [];
  private size = 0;
  private readonly runs: string[] = [];

  /** Runs are files in `directory`, with names that begin with `name`. */
  constructor(
    private readonly directory: string,
    private readonly name: string,
  ) {}

  async add(key: string, value: unknown): Promise<void> {
    const line = `${key}\t${JSON.stringify(value)}`;
    this.lines.push(line);
    this.size += line.length;
    if (this.size > RUN_CHARACTERS) await this.spill();
  }

  /** Yields all records in order, and removes the files at the end. */
  async *sorted(): AsyncGenerator<Sorted> {
    if (this.runs.length === 0) {
      const lines = this.inOrder();
      for (const line of lines) yield recordOf(line);
      return;
    }
    await this.spill();
    try {
      yield* this.merged();
    } finally {
      for (const run of this.runs) await rm(run, { force: true });
    }
  }

  private async *merged(): AsyncGenerator<Sorted> {
    const heap: Run[] = [];
    for (const [n, path] of this.runs.entries()) {
      const lines = linesOf(createReadStream(path, { highWaterMark: READ_BYTES }), LINE_ERRORS);
      const line = await nextLine(lines);
      if (line !== null) heap.push({ lines, line, key: keyIn(line), n });
    }
    for (let at = heap.length >> 1; at >= 0; at -= 1) sink(heap, at);
    for (let [first] = heap; first !== undefined; [first] = heap) {
      yield recordOf(first.line);
      const line = await nextLine(first.lines);
      if (line === null) {
        const last = heap.pop();
        if (last !== undefined && last !== first) heap[0] = last;
      } else [first.line, first.key] = [line, keyIn(line)];
      sink(heap);
    }
  }

  private inOrder(): readonly string[] {
    const keyed = this.lines.map((line) => ({ line, key: keyIn(line) }));
    this.lines = [];
    this.size = 0;
    keyed.sort((a, b) => Number(a.key > b.key) - Number(a.key < b.key));
    return keyed.map(({ line }) => line);
  }

  private async spill(): Promise<void> {
    if (this.lines.length === 0) return;
    await mkdir(this.directory, { recursive: true });
    const path = join(this.directory, `${this.name}-${this.runs.length}`);
    const file = createWriteStream(path);
    for (const line of this.inOrder()) if (!file.write(`${line}\n`)) await once(file, 'drain');
    file.end();
    await once(file, 'close');
    this.runs.push(path);
  }
}
