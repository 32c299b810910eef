/** Newsroom with a browser, in which an editor is signed in. */
import type { Browser } from 'puppeteer-core';
import type { Adapter } from '../../support/app.ts';
import { launch, type Opened, openPage } from './browser.ts';
import { Editor } from './editor.ts';
import { type Newsroom, type NewsroomOptions, startNewsroom } from './newsroom.ts';
import { picture } from './picture.ts';

const PASSWORD = 'a long password of an editor';

type Method = 'get' | 'post' | 'put' | 'delete';

export class Visit {
  readonly pages: Opened[] = [];
  private token = '';

  constructor(
    readonly room: Newsroom,
    readonly browser: Browser,
  ) {}

  /** Signs a new editor in, in a browser without a session. The heading is that of the start. */
  async arrive(name: string, role = 'editor', heading?: string): Promise<Editor> {
    const opened = await openPage(await this.browser.createBrowserContext(), this.room.url);
    this.pages.push(opened);
    const editor = new Editor(opened.page, this.room.desk);
    await editor.acceptInvitation(await this.room.invite(`${name}@example.org`, role), PASSWORD, heading);
    return editor;
  }

  /** Violations of the policy, errors of scripts and requests of other servers since the last call. */
  complaints(): string[] {
    return this.pages.flatMap(({ complaints }) => complaints.splice(0));
  }

  /** Sends a request to the API as the first editor. Throws an Error for an error response. */
  async api(method: Method, path: string, body?: object): Promise<any> {
    const request = this.room.http[method](`/api${path}`).set('Authorization', `Bearer ${await this.jwt()}`);
    const response = await (body === undefined ? request : request.send(body));
    if (response.status >= 400) throw new Error(`${method} ${path}: ${response.status} ${response.text}`);
    return response.body.data ?? response.body;
  }

  async upload(name: string, colour: string, info: object = {}): Promise<any> {
    const { body } = await this.room.http
      .post('/api/upload')
      .set('Authorization', `Bearer ${await this.jwt()}`)
      .field('fileInfo', JSON.stringify(info))
      .attach('files', await picture(colour), name)
      .expect(201);
    return body[0];
  }

  /** Ends the sessions of all editors, as after a long break. */
  async endSessions(): Promise<void> {
    await this.room.sql(`update content_users set sessions = '[]', token_version = token_version + 1`);
    this.token = '';
  }

  async jwt(): Promise<string> {
    if (this.token === '') {
      const body = { identifier: 'ann@example.org', password: PASSWORD };
      this.token = (await this.room.http.post('/desk/session').send(body).expect(200)).body.jwt;
    }
    return this.token;
  }

  async end(): Promise<void> {
    await this.browser.close();
    await this.room.close();
  }
}

export async function startVisit(adapter: Adapter, options: NewsroomOptions = {}): Promise<Visit> {
  return new Visit(await startNewsroom(adapter, options), await launch());
}
