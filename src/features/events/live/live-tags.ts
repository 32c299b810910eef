import { Inject, Injectable } from '@nestjs/common';
import { ContentAccess } from '../../../content/access/content-access.js';
import { ReadHeaders } from '../../../content/documents/read-headers.js';
import { CONTENT_SCHEMA, type Schema } from '../../../content/model/model.js';
import { EVENTS_OPTIONS, type ResolvedEventsOptions } from '../events.options.js';
import type { LoggedEvent } from '../logged-event.js';
import { liveKey } from './live-key.js';
import { Tags } from './tags.js';

const TAGS_HEADER = 'Content-Tags';

/** Sends the tags of responses, and names those that events make stale (protocol 21.14). */
@Injectable()
export class LiveTags {
  private readonly tags: Tags;

  constructor(
    @Inject(CONTENT_SCHEMA) schema: Schema,
    @Inject(ContentAccess) private readonly access: ContentAccess,
    @Inject(EVENTS_OPTIONS) options: ResolvedEventsOptions,
    @Inject(ReadHeaders) headers: ReadHeaders,
  ) {
    this.tags = new Tags(schema, liveKey(options, 'tags'));
    headers.add(async (subject) => {
      const tags = this.tags.of(subject, await this.ofPublic());
      const header: Record<string, string> = tags === null ? {} : { [TAGS_HEADER]: tags.join(' ') };
      return header;
    });
  }

  async staleBy(events: readonly LoggedEvent[]): Promise<readonly string[]> {
    return this.tags.staleBy(events, await this.ofPublic());
  }

  private ofPublic(): ReturnType<ContentAccess['permissionsOf']> {
    return this.access.permissionsOf(['public']);
  }
}
