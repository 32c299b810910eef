/** Values by name, in a file: only their places are in memory. */
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { isObject } from '../../kernel/json.js';
import type { StrapiObject } from './strapi-archive.js';

export class FactsFile {
  private readonly places = new Map<string, readonly [number, number]>();
  private readonly file: number;
  private end = 0;

  constructor(path: string) {
    this.file = openSync(path, 'w+');
  }

  set(name: string, values: StrapiObject): void {
    const bytes = Buffer.from(JSON.stringify(values));
    writeSync(this.file, bytes, 0, bytes.length, this.end);
    this.places.set(name, [this.end, bytes.length]);
    this.end += bytes.length;
  }

  get(name: string): StrapiObject | null {
    const place = this.places.get(name);
    if (place === undefined) return null;
    const [start, length] = place;
    const bytes = Buffer.alloc(length);
    readSync(this.file, bytes, 0, length, start);
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isObject(value) ? value : null;
  }

  close(): void {
    closeSync(this.file);
  }
}
