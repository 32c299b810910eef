/** Compares an adopted application with the world of its archive. Returns a line for each difference. */
import { isDeepStrictEqual } from 'node:util';
import type { Adopted } from './app.ts';
import { type Answer, Expectation, type Moment } from './generator/expected.ts';
import { folderPaths } from './generator/plugin-rows.ts';
import type { SourceDocument, World } from './generator/source.ts';
import { type Found, Reader, type TypeNames } from './read.ts';

export interface Comparison {
  readonly differences: readonly string[];
  readonly answers: number;
}

const short = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 160 ? `${text.slice(0, 160)}… (${text.length})` : text;
};

/** Paths of two JSON values that differ. */
function differencesOf(expected: unknown, actual: unknown, at: string): string[] {
  if (isDeepStrictEqual(expected, actual)) return [];
  const isNode = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null;
  const isAlike = isNode(expected) && isNode(actual) && Array.isArray(expected) === Array.isArray(actual);
  const isLength = Array.isArray(expected) && Array.isArray(actual) && expected.length !== actual.length;
  if (!isAlike || isLength) return [`${at}: expected ${short(expected)}, got ${short(actual)}`];
  const keys = [...new Set([...Object.keys(expected), ...Object.keys(actual)])];
  return keys.flatMap((key) => differencesOf(expected[key], actual[key], `${at}.${key}`));
}

/** Names of types, which differ from those of the source if the library uses them itself. */
function namesIn({ definitions: { names } }: Adopted): TypeNames {
  const uids = new Map([...names].map(([uid, { name }]) => [`api::${name}.${name}`, uid]));
  return {
    of: ({ uid, singular, plural }) => names.get(uid) ?? { name: singular, plural },
    uidOf: (called) => uids.get(called) ?? called,
  };
}

class Comparer {
  readonly differences: string[] = [];
  answers = 0;
  readonly reader: Reader;
  private readonly expectation: Expectation;
  private readonly host: Adopted;
  private readonly world: World;

  constructor(host: Adopted, world: World) {
    this.host = host;
    this.world = world;
    this.reader = new Reader(host.url, { model: world.model, names: namesIn(host) });
    this.expectation = new Expectation(world);
  }

  async documents(): Promise<void> {
    const { model, documents } = this.world;
    for (const type of model.types)
      for (const state of ['draft', 'published'] as const)
        for (const locale of model.locales) {
          const found = await this.reader.documents(type, { state, locale });
          const own = documents.filter((one) => one.type === type);
          for (const one of own) this.document(one, { state, locale }, found.get(one.mark));
          const extra = [...found.keys()].filter((mark) => !own.some((one) => one.mark === mark));
          for (const mark of extra)
            this.differences.push(`${type.uid} ${state} ${locale}: unexpected ${mark}`);
        }
  }

  private document(document: SourceDocument, moment: Moment, found: Found | undefined): void {
    const { model } = this.world;
    const expected = this.expectation.answer(document, moment);
    const at = `${document.type.uid} ${document.mark} ${moment.state} ${moment.locale}`;
    this.answers += 1;
    if (expected === undefined || found === undefined) {
      if (expected !== found)
        this.differences.push(`${at}: ${found === undefined ? 'missing' : 'unexpected'}`);
      return;
    }
    const locale = document.type.localized ? moment.locale : model.defaultLocale;
    const documentId = model.flavour === 'v5' ? document.documentId : found.documentId;
    const { values, times }: Answer = expected;
    this.differences.push(...differencesOf({ values, times, documentId, locale }, found, at));
  }

  async users(): Promise<void> {
    const users = await this.reader.users();
    const { model } = this.world;
    for (const user of this.world.users) {
      const found = users.find(({ username }) => username === user.mark) ?? {};
      const { role, documentId } = found;
      const extra = Object.entries(user.values).map(([name, value]) => [
        name,
        typeof value === 'string' ? found[name] : namesOf(found[name]),
      ]);
      const { email, confirmed, blocked, createdAt, updatedAt } = user;
      const expected = {
        email,
        confirmed,
        blocked,
        createdAt,
        updatedAt,
        role: user.role ?? undefined,
        ...user.values,
      };
      const actual = {
        ...{ email: found['email'], confirmed: found['confirmed'], blocked: found['blocked'] },
        ...{ createdAt: found['createdAt'], updatedAt: found['updatedAt'] },
        role: (role as { type?: string } | undefined)?.type,
        ...(Object.fromEntries(extra) as object),
      };
      this.answers += 1;
      this.differences.push(...differencesOf(expected, actual, `user ${user.mark}`));
      if (model.flavour === 'v5' && documentId !== user.documentId)
        this.differences.push(`user ${user.mark}: documentId ${String(documentId)}`);
      await this.signIn(user);
    }
    if (users.length !== this.world.users.length) this.differences.push(`${users.length} users`);
  }

  private async signIn({ mark, password, confirmed, blocked }: World['users'][number]): Promise<void> {
    if (password === null || !confirmed || blocked) return;
    for (const [sent, status] of [
      [password, 200],
      ['wrong', 400],
    ] as const) {
      const response = await fetch(`${this.host.url}/api/auth/local`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ identifier: mark, password: sent }),
      });
      this.answers += 1;
      if (response.status !== status)
        this.differences.push(`sign-in of ${mark}: ${response.status} ${await response.text()}`);
    }
  }

  async files(): Promise<void> {
    const found = await this.reader.files();
    const folders = folderPaths(this.world);
    const stored = await this.host.sql('select name, folder_path from content_files');
    for (const file of this.world.files) {
      const one = found.find(({ name }) => name === file.name) ?? {};
      const { name, alternativeText, caption, mime, createdAt, updatedAt, folder, isThere } = file;
      // A file without an extension gets that of its media type with its bytes.
      const ext = file.ext === '' ? (isThere ? '.txt' : null) : file.ext;
      const expected = { name, alternativeText, caption, ext, mime, createdAt, updatedAt };
      const actual = Object.fromEntries(Object.keys(expected).map((key) => [key, one[key]]));
      const at = `file ${name}`;
      this.answers += 2;
      this.differences.push(...differencesOf(expected, actual, at));
      if (this.world.model.flavour === 'v5' && one['documentId'] !== file.documentId)
        this.differences.push(`${at}: documentId ${String(one['documentId'])}`);
      const bytes = typeof one['url'] === 'string' ? await this.reader.bytes(one['url']) : Buffer.alloc(0);
      if (isThere && !bytes.equals(file.bytes))
        this.differences.push(`${at}: ${bytes.length} bytes instead of ${file.bytes.length}`);
      const path = stored.find((row) => row['name'] === name)?.['folder_path'] ?? null;
      const wanted = folder === null ? null : folders[folder]?.names;
      if (path !== wanted) this.differences.push(`${at}: folder ${short(path)} instead of ${short(wanted)}`);
    }
    if (found.length !== this.world.files.length) this.differences.push(`${found.length} files`);
  }
}

const namesOf = (value: unknown): unknown =>
  ([value ?? []].flat() as { name: string }[]).map(({ name }) => name);

export async function compare(host: Adopted, world: World): Promise<Comparison> {
  const comparer = new Comparer(host, world);
  await comparer.documents();
  await comparer.users();
  await comparer.files();
  return comparer;
}
