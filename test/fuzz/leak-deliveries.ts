/** Webhooks of a role in two worlds: both endpoints must receive the same. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CodeEndpoint } from 'nestjs-content-api/events';
import { LocalServer } from '../support/local-server.ts';
import type { Reply } from './apps.ts';
import type { RunSql } from './content.ts';
import { until } from './leak-streams.ts';

const NAME = 'oracle';
const SECRET = `whsec_${Buffer.alloc(32, 'oracle').toString('base64')}`;

/** Number of events that the endpoint has not been offered yet. */
const WAITING = `select (select count(*) from content_event_delivery where failed_at is null)::int
  + (select count(*) from content_event e, content_event_reader r
     where not pg_visible_in_snapshot(e.xid, r.base)
       and not coalesce(pg_visible_in_snapshot(e.xid, r.target) and e.id <= r.after, false))::int as n`;

const FAILED = `select failure from content_event_attempt where status is distinct from 200 limit 1`;

interface Sent {
  readonly entry: { readonly documentId: string };
  readonly tags?: readonly string[];
}

/** Endpoint of one world, with the bodies that it has received. */
export class Deliveries extends LocalServer {
  private readonly bodies: string[] = [];

  protected respond(text: string, _request: IncomingMessage, response: ServerResponse): void {
    this.bodies.push(text);
    response.end();
  }

  /** Endpoint to which events are sent as a role may see them. */
  endpointOf(role: string): CodeEndpoint {
    return { name: NAME, url: this.url, secret: SECRET, role };
  }

  /** Waits until all events of the log were sent or skipped. Throws an Error for a failed attempt. */
  async settle(sql: RunSql): Promise<void> {
    const isDone = await until(async () => (await sql(WAITING))[0]?.['n'] === 0);
    const [failed] = await sql(FAILED);
    if (failed !== undefined) throw new Error(`A webhook failed: ${String(failed['failure'])}`);
    if (!isDone) throw new Error('The webhooks have not sent all events');
  }

  get count(): number {
    return this.bodies.length;
  }

  clear(): void {
    this.bodies.length = 0;
  }

  /**
   * Bodies by document, because only the events of one document have an order. The tags of a new document depend on
   * its id, which differs between the worlds.
   *
   * @param masked - returns a text without what may differ
   */
  reply(masked: (text: string) => string): Reply {
    const sent = this.bodies.map((body) => {
      const { tags, ...rest } = JSON.parse(body) as Sent;
      const text = masked(JSON.stringify(rest));
      const { documentId } = (JSON.parse(text) as Sent).entry;
      return { documentId, text, tags: documentId === '<new>' ? tags?.length : tags?.toSorted() };
    });
    const sorted = sent.toSorted((one, other) => (one.documentId < other.documentId ? -1 : 1));
    return { status: 200, headers: {}, body: JSON.stringify(sorted), milliseconds: 0 };
  }
}
