/** Journeys of editors who work together: presence, schedules, and the webhooks of the application. */
import { EventsModule, webhookType } from 'nestjs-content-api/events';
import { hasBrowser } from './browser.ts';
import type { Editor } from './editor.ts';
import { Receiver } from './receiver.ts';
import { checkViews } from './views.ts';
import { startVisit, type Visit } from './visit.ts';

(hasBrowser ? describe : describe.skip)('editors together', () => {
  let visit: Visit;
  let ann: Editor;
  let ben: Editor;
  let eva: Editor;
  const receiver = new Receiver();
  const make = async (data: object): Promise<string> =>
    (await visit.api('post', '/articles?status=draft', { data })).documentId;
  const act = async (editor: Editor, name: string): Promise<void> => {
    await editor.press('More actions');
    await editor.item(name);
  };
  const inDialog = (editor: Editor, label: string): Promise<void> =>
    editor.page.locator(`[role=dialog] ::-p-aria([name="${label}"][role="button"])`).click();
  const closed = (editor: Editor): Promise<void> =>
    editor.until('closed dialog', async () => (await editor.page.$$('[role=dialog]')).length === 0);
  /** Fills an input of the browser for a date and a time. */
  const setTime = (editor: Editor, label: string, text: string): Promise<void> =>
    editor.page.evaluate(`(() => {
      const labels = [...document.querySelectorAll('[role=dialog] label')];
      const { control } = labels.find((one) => one.textContent.startsWith('${label}'));
      const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
      set.call(control, '${text}');
      control.dispatchEvent(new Event('input', { bubbles: true }));
    })()`) as Promise<void>;

  beforeAll(async () => {
    await receiver.start();
    visit = await startVisit('express', {
      contentTypes: [webhookType],
      imports: [
        EventsModule.forRoot({
          pollMilliseconds: 50,
          webhooks: { allow: ['localhost'] },
        }),
      ],
    });
    ann = await visit.arrive('ann');
    ben = await visit.arrive('ben');
    eva = await visit.arrive('eva', 'chief');
  }, 120_000);
  afterAll(async () => {
    await visit?.end();
    receiver.stop();
  });
  afterEach(() => expect(visit.complaints()).toEqual([]));

  it('sees who else has the document open, and who has left', async () => {
    const id = await make({ title: 'Open twice' });
    await ann.open(`/content/article/${id}`);
    await ben.open(`/content/article/${id}`);
    await ben.sees('ann also has this open');
    await ann.sees('ben also has this open');
    await ben.open('/content/article');
    await ann.seesNot('ben also has this open');
  });

  it('sees that another editor has closed the tab, or gone to another site', async () => {
    const id = await make({ title: 'Closed next door' });
    await ann.open(`/content/article/${id}`);
    await ben.open(`/content/article/${id}`);
    await ann.sees('ben also has this open');
    await ben.page.goto('about:blank');
    // A form that sends no more signs would be shown for twenty seconds.
    await ann.seesNot('ben also has this open');
    expect(await visit.room.sql(`select 1 from content_presence where place like '%${id}%'`)).toHaveLength(1);
    await ben.open('/content/article');
  });

  it('gets the change of another editor without a save, and is told', async () => {
    const id = await make({ title: 'Changed next door', lead: 'Before' });
    await ann.open(`/content/article/${id}`);
    await ben.open(`/content/article/${id}`);
    await ben.sees('ann also has this open');
    await ben.fill('Lead', 'After');
    await ben.saved();
    await ann.sees('Another editor has changed: Lead');
    expect(await ann.valueOf('Lead')).toBe('After');
  });

  it('deletes no document with a change that it has not seen', async () => {
    const { documentId } = await visit.api('post', '/authors', { data: { name: 'Mara' } });
    await ann.open(`/content/author/${documentId}`);
    await ann.heading('Mara');
    await visit.api('put', `/authors/${documentId}`, { data: { biography: 'Sails.' } });
    await act(ann, 'Delete');
    await inDialog(ann, 'Delete');
    await ann.sees('Another editor has changed it in the meantime.');
    await ann.sees('Another editor has changed: Biography.');
    expect(await ann.valueOf('Biography')).toBe('Sails.');
    await inDialog(ann, 'Delete');
    await ann.heading('Authors');
    await expect(visit.api('get', `/authors/${documentId}`)).rejects.toThrow('404');
  });

  it('is told that a release has published the document, and that a program has deleted it', async () => {
    const id = await make({ title: 'Released next door' });
    const { id: release } = await visit.api('post', '/releases', { data: { name: 'Tonight' } });
    const entry = { type: 'article', documentId: id, locale: 'en', action: 'publish' };
    await visit.api('post', `/releases/${release}/entries`, { data: entry });
    const comeBack = (): Promise<unknown> =>
      ann.page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
    await ann.open(`/content/article/${id}`);
    await ann.status('Draft');
    await visit.api('post', `/releases/${release}/actions/publish`);
    await comeBack();
    await ann.sees('The document was published in the meantime.');
    await ann.status('Published');
    expect(await ann.text()).not.toContain('Another editor has changed');
    await ann.press('Close');
    await ann.seesNot('meanwhile');
    const french = { title: 'Paru à côté' };
    await visit.api('put', `/articles/${id}?status=published&locale=fr`, { data: french });
    await visit.api('post', `/articles/${id}/actions/unpublish`);
    await ann.fill('Lead', 'Typed since.');
    await ann.sees(
      'The document was unpublished in the meantime. Readers no longer see it. Only English is affected.',
    );
    await ann.savesItself();
    await visit.api('delete', `/articles/${id}?locale=*`);
    await comeBack();
    await ann.sees('This document was deleted');
  });

  it.each([
    [
      'a language',
      'Lead',
      async () => `/content/article/${await make({ title: 'In French, too' })}?locale=fr`,
    ],
    ['a single type', 'Headline', () => Promise.resolve('/content/homepage')],
  ] as const)('decides what counts if both make %s at the same time', async (_case, field, place) => {
    const address = await place();
    const editors = [ann, ben];
    for (const editor of editors) {
      await editor.openAnew(address);
      await editor.field(field);
    }
    await ben.fill(field, 'Of Ben');
    await ben.saved();
    await ann.fill(field, 'Of Ann');
    await ann.press('Save');
    await ann.sees('Another editor has changed the same fields');
    await ann.press(`Take theirs: ${field}`);
    expect(await ann.valueOf(field)).toBe('Of Ben');
  });

  it('plans a publication in its own time zone, and cancels it', async () => {
    const id = await make({ title: 'For tomorrow' });
    await ann.open(`/content/article/${id}`);
    await act(ann, 'Schedule');
    await setTime(ann, 'Publish at', '2999-01-02T08:30');
    await inDialog(ann, 'Save the times');
    await closed(ann);
    await ann.sees('Will be published');
    const { publishAt } = await visit.api('get', `/articles/${id}/actions/schedule`);
    const zone = await ann.page.evaluate('new Date("2999-01-02T08:30").toISOString()');
    expect(publishAt).toBe(zone);
    await act(ann, 'Schedule');
    await setTime(ann, 'Publish at', '');
    await inDialog(ann, 'Save the times');
    await closed(ann);
    await ann.seesNot('Will be published');
    expect((await visit.api('get', `/articles/${id}/actions/schedule`)).publishAt).toBeNull();
  });

  it('keeps the publication that another editor has planned since, if it sets the other time', async () => {
    const id = await make({ title: 'For two plans' });
    await ann.open(`/content/article/${id}`);
    await act(ann, 'Schedule');
    await ann.page.waitForSelector('[role=dialog] input');
    const publishAt = '2999-01-02T08:30:00.000Z';
    await visit.api('put', `/articles/${id}/actions/schedule`, { data: { publishAt } });
    await setTime(ann, 'Unpublish at', '2999-02-02T08:30');
    await inDialog(ann, 'Save the times');
    await closed(ann);
    await ann.sees('Will be published');
    const stored = await visit.api('get', `/articles/${id}/actions/schedule`);
    expect(stored).toMatchObject({ publishAt, unpublishAt: expect.stringMatching(/^2999-02-02/) });
  });

  it('keeps a planned publication if the time is half typed', async () => {
    const id = await make({ title: 'Half a time' });
    const publishAt = '2999-01-02T08:30:00.000Z';
    await visit.api('put', `/articles/${id}/actions/schedule`, { data: { publishAt } });
    await ann.open(`/content/article/${id}`);
    await act(ann, 'Schedule');
    await (await ann.page.waitForSelector('[role=dialog] input'))?.focus();
    await ann.page.keyboard.press('Backspace');
    await inDialog(ann, 'Save the times');
    await ann.page.waitForSelector('[role=dialog] input:focus:invalid');
    await ann.page.keyboard.type('02');
    await inDialog(ann, 'Save the times');
    await closed(ann);
    expect((await visit.api('get', `/articles/${id}/actions/schedule`)).publishAt).toMatch(/^2999-02-02/);
  });

  it('sees a planned time no longer once it is over', async () => {
    const id = await make({ title: 'For this minute' });
    const publishAt = new Date(Date.now() + 4000).toISOString();
    await visit.api('put', `/articles/${id}/actions/schedule`, { data: { publishAt } });
    await ann.open(`/content/article/${id}`);
    await ann.sees('Will be published');
    await ann.seesNot('Will be published');
    expect(await visit.api('get', `/articles/${id}`)).toMatchObject({ title: 'For this minute' });
  });

  it('does not publish at once if the planned time is over', async () => {
    const id = await make({ title: 'For last year' });
    await ann.open(`/content/article/${id}`);
    await act(ann, 'Schedule');
    await setTime(ann, 'Publish at', '2020-01-02T08:30');
    await inDialog(ann, 'Save the times');
    await ann.page.waitForSelector('[role=dialog] input:focus:invalid');
    await setTime(ann, 'Publish at', '2999-01-02T08:30');
    await inDialog(ann, 'Save the times');
    await closed(ann);
    await ann.sees('Will be published');
    expect((await visit.api('get', `/articles/${id}/actions/schedule`)).publishAt).toMatch(/^2999-01-0/);
  });

  it('creates a webhook, gets its secret once, and sends a test', async () => {
    await eva.follow('Webhooks');
    await eva.sees('No webhooks yet.');
    await eva.sees('A webhook notifies another system');
    await eva.press('Create a webhook');
    await eva.fill('Name', 'Site');
    await eva.fill('Address', receiver.url);
    await inDialog(eva, 'Create a webhook');
    await eva.sees('Secret of Site');
    expect(await eva.valueOf('Secret')).toMatch(/^whsec_/);
    await inDialog(eva, 'Close');
    await closed(eva);
    await eva.follow('Site');
    await eva.heading('Site');
    await eva.press('Send a test event');
    await eva.sees('The endpoint responded with 200');
    expect(receiver.received).toBe(1);
  });

  it('renames a webhook, and keeps what another editor has changed in it meanwhile', async () => {
    const identifier = 'eva@example.org';
    const password = 'a long password of an editor';
    const session = await visit.room.http.post('/desk/session').send({ identifier, password }).expect(200);
    const webhook = async (change?: object): Promise<any> => {
      const path = `/api/webhooks/${eva.page.url().split('/').at(-1)}`;
      const request = change === undefined ? visit.room.http.get(path) : visit.room.http.put(path);
      const sent = request.set('Authorization', `Bearer ${session.body.jwt}`);
      return (await (change === undefined ? sent : sent.send({ data: change })).expect(200)).body.data;
    };
    await eva.press('Edit');
    await webhook({ types: ['article'] });
    await eva.fill('Name', 'Site one');
    await inDialog(eva, 'Save');
    await eva.heading('Site one');
    expect(await webhook()).toMatchObject({ name: 'Site one', types: ['article'] });
    await webhook({ types: null, name: 'Site' });
    await eva.openAnew(new URL(eva.page.url()).pathname.replace('/desk', ''));
    await eva.heading('Site');
  });

  it('reads the name of a webhook in the audit log, which leads to it', async () => {
    const ida = await visit.arrive('ida', 'auditor');
    await ida.open('/audit?type=webhook');
    await ida.until('its name', async () =>
      (await ida.texts('.desk-audit-sentence')).some((one) => one.startsWith('eva created Site (Webhook')),
    );
    await ida.follow('Site');
    await ida.heading('Site');
  });

  it('sees what failed, lets the webhook continue, and sends the events of a day again', async () => {
    receiver.status = 410;
    await make({ title: 'Reported' });
    await eva.sees('The endpoint responded with 410');
    await eva.sees('Disabled:');
    await eva.page.setViewport({ width: 390, height: 860 });
    await eva.open('/webhooks');
    await eva.sees('Waiting for another attempt: 1');
    await eva.page.setViewport({ width: 1280, height: 900 });
    await eva.follow('Site');
    await eva.heading('Site');
    receiver.status = 200;
    const before = receiver.received;
    await eva.press('Continue');
    await eva.seesNot('Disabled:');
    await eva.until('sent again', () => Promise.resolve(receiver.received === before + 1));
    await eva.press('Send again since …');
    await setTime(eva, 'Since', '2020-01-01T00:00');
    await inDialog(eva, 'Send again');
    await eva.until('message', async () =>
      /events? (?:is|are) sent again/.test((await eva.texts('.desk-message')).join()),
    );
    await eva.until('sent again', () => Promise.resolve(receiver.received > before + 1));
  });

  it('switches a webhook off, and deletes it after a question', async () => {
    await eva.page.locator('::-p-aria([name="Sends events"])').click();
    await eva.until('off', async () => (await eva.texts('.desk-status')).includes('Off'));
    await eva.press('Delete');
    await inDialog(eva, 'Delete');
    await eva.sees('No webhooks yet.');
  });

  it('offers no webhooks to an editor without the right', async () => {
    expect(await ann.texts('nav a')).not.toContain('Webhooks');
    await ann.open('/webhooks');
    await ann.sees('This page does not exist.');
  });

  it.each([
    [
      'webhooks',
      async () => {
        await eva.open('/webhooks');
        await eva.press('Create a webhook');
        await eva.fill('Name', 'Site');
        await eva.fill('Address', receiver.url);
        await inDialog(eva, 'Create a webhook');
        await eva.sees('Secret of Site');
        await inDialog(eva, 'Close');
        await closed(eva);
      },
    ],
    [
      'webhook',
      async () => {
        await make({ title: 'Seen by the webhook' });
        await eva.follow('Site');
        await eva.sees('evt_');
      },
    ],
    [
      'schedule',
      async () => {
        const id = await make({ title: 'For next week' });
        await eva.open(`/content/article/${id}`);
        await act(eva, 'Schedule');
        await eva.sees('Publish at');
      },
    ],
  ] as const)('%s in all views', async (name, show) => {
    expect(await checkViews(eva.page, `desk-${name}`, show)).toEqual([]);
    await eva.page.setViewport({ width: 1280, height: 900 });
  });
});
