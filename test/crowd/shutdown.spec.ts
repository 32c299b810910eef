/** Shutdown of an application that serves requests, as clients and probes observe it. */
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { type BeforeApplicationShutdown, Injectable, type Type } from '@nestjs/common';
import { ContentModule } from 'nestjs-content-api';
import { type Host, startHost } from '../http/helpers.ts';
import { ADAPTERS } from '../support/app.ts';
import { note } from '../support/notes.ts';

/** Delays the shutdown, like an application that first deregisters from its load balancer. */
@Injectable()
class Gate implements BeforeApplicationShutdown {
  readonly reached = Promise.withResolvers<void>();
  readonly opened = Promise.withResolvers<void>();

  async beforeApplicationShutdown(): Promise<void> {
    this.reached.resolve();
    await this.opened.promise;
  }
}

interface Seen {
  readonly status: number;
  readonly connection: string | undefined;
  readonly text: string;
}

function get(agent: Agent, url: string): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, connection: response.headers.connection, text }),
      );
    });
    sent.on('error', reject).end();
  });
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** Sends a POST in pieces, 100 ms apart, until its text is sent or `pieces` are. Returns the status line. */
function drip(
  url: string,
  { pieces, of }: { readonly pieces: number; readonly of: number },
): Promise<string> {
  const { hostname, port } = new URL(url);
  const body = JSON.stringify({ data: { title: 'x'.repeat(of) } });
  const size = Math.ceil(body.length / of);
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(port), hostname);
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.on('error', () => undefined).on('close', () => resolve(text.split('\r\n', 1)[0] ?? ''));
    socket.write(
      `POST /api/notes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    let sent = 0;
    const timer = setInterval(() => {
      socket.write(body.slice(sent * size, (sent + 1) * size));
      sent += 1;
      if (sent === pieces) clearInterval(timer);
    }, 100);
  });
}

describe.each(ADAPTERS)('shutdown on %s', (adapter) => {
  const startNotes = (providers: readonly Type[] = []): Promise<Host> =>
    startHost(
      ({ url }) => ({
        imports: [
          ContentModule.forRoot({
            contentTypes: [note],
            access: { public: { note: '*' } },
            health: true,
            database: { clientUrl: url },
          }),
        ],
        providers: [...providers],
      }),
      { adapter, tables: true },
    );

  it('1.26 closes the connection of every response and fails the health check from its beginning', async () => {
    const host = await startNotes([Gate]);
    const notes = `${host.url}/api/notes`;
    const health = `${host.url}/_health`;
    expect(await get(agent, notes)).toMatchObject({ status: 200, connection: 'keep-alive' });
    expect(await get(agent, health)).toMatchObject({ status: 204, connection: 'keep-alive' });
    const gate = host.app.get(Gate);
    const closed = host.close().finally(() => agent.destroy());
    await gate.reached.promise;
    expect(await get(agent, notes)).toMatchObject({ status: 200, connection: 'close' });
    const { status, connection, text } = await get(agent, health);
    expect({ status, connection }).toEqual({ status: 503, connection: 'close' });
    expect(JSON.parse(text)).toMatchObject({
      data: null,
      error: { name: 'ServiceUnavailableError', message: 'The application is stopping' },
    });
    gate.opened.resolve();
    await closed;
  });

  it('completes a request whose body still arrives, and closes one whose body has stopped', async () => {
    const host = await startNotes();
    const arriving = drip(host.url, { pieces: 40, of: 40 });
    const stopped = drip(host.url, { pieces: 1, of: 40 });
    await new Promise((done) => setTimeout(done, 200));
    const closed = host.close();
    expect(await arriving).toBe('HTTP/1.1 201 Created');
    expect(await stopped).not.toContain('201');
    await closed;
  });
});
