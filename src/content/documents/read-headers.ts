/** Headers that features add to the responses of reads. */
import { Injectable } from '@nestjs/common';
import type { Subject } from '../../cache/change-log.js';

type Headers = Readonly<Record<string, string>>;

/** Returns the headers of a response with these dependencies. */
export type ReadHeader = (subject: Subject) => Headers | Promise<Headers>;

@Injectable()
export class ReadHeaders {
  private readonly added: ReadHeader[] = [];

  /** Registers a header of all later reads of published content over HTTP. */
  add(header: ReadHeader): void {
    this.added.push(header);
  }

  get isEmpty(): boolean {
    return this.added.length === 0;
  }

  async of(subject: Subject): Promise<Headers> {
    const all: Record<string, string> = {};
    for (const header of this.added) Object.assign(all, await header(subject));
    return all;
  }
}
