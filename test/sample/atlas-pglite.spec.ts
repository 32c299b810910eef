import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { jest } from '@jest/globals';
import { ConsoleLogger } from '@nestjs/common';
import supertest from 'supertest';
import { createAtlas } from '../../sample-app/atlas.ts';
import { IN_MEMORY } from '../../sample-app/database/atlas-database.ts';
import { FolderLock } from '../../sample-app/database/folder-lock.ts';
import { AtlasLoader } from '../../sample-app/loader/atlas-loader.ts';
import { readSettings } from '../../sample-app/settings.ts';
import { MailLog, post, register } from './visitors.ts';

const COUNTRIES = ['CHE', 'AUT', 'FRA', 'ITA', 'LIE', 'DEU', 'SVN', 'MCO', 'SMR', 'VAT'];

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'atlas-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('atlas on PGlite', () => {
  it('runs in memory, and logs no warning on its first start', async () => {
    const mails = new MailLog();
    const warned = jest.spyOn(ConsoleLogger.prototype, 'warn');
    const app = await createAtlas({ dataFolder: IN_MEMORY, log: mails.log });
    try {
      // The tests run without a build of the desk.
      const lines = warned.mock.calls.map(([line]) => String(line));
      expect(lines.filter((line) => !line.startsWith('The pages of the desk'))).toEqual([]);
      expect(await app.get(AtlasLoader).load({ countries: COUNTRIES })).toBe(true);
      const { body } = await supertest(app.getHttpServer())
        .get('/api/countries?locale=fr&sort=area&populate=borders')
        .expect(200);
      expect(body.meta.pagination.total).toBe(10);
      expect(body.data[0]).toMatchObject({ name: 'Cité du Vatican', borders: [{ name: 'Italie' }] });

      await register(app, 'ann');
      const mail = mails.next();
      await post(app, '/api/auth/forgot-password', { email: 'ann@example.org' }).expect(200);
      const file = await mail;
      const code = readFileSync(file, 'utf8').split('\n')[3];
      rmSync(dirname(file), { recursive: true });
      expect(dirname(dirname(file))).toBe(tmpdir());
      await post(app, '/api/auth/reset-password', {
        code,
        password: 'a new one',
        passwordConfirmation: 'a new one',
      }).expect(200);
    } finally {
      await app.close();
    }
  });
});

describe('the folder lock', () => {
  it('rejects a second lock, and unlocks the folder on release', () => {
    const lock = FolderLock.take(folder);
    expect(() => FolderLock.take(folder)).toThrow(`${folder} is in use by another process`);
    lock.release();
    lock.release();
    FolderLock.take(folder).release();
  });

  it('ignores the lock file of an earlier version', () => {
    writeFileSync(join(folder, 'atlas.lock'), '2147483646');
    FolderLock.take(folder).release();
  });
});

describe('the settings', () => {
  it('come from the environment', () => {
    expect(readSettings({})).toEqual({ port: 3000 });
    expect(readSettings({ PORT: '8080', DATABASE_URL: 'postgresql://localhost/atlas' })).toEqual({
      port: 8080,
      databaseUrl: 'postgresql://localhost/atlas',
    });
    expect(readSettings({ JWT_SECRET: 'x'.repeat(32), DATABASE_URL: '' })).toEqual({
      port: 3000,
      jwtSecret: 'x'.repeat(32),
    });
    expect(() => readSettings({ JWT_SECRET: 'x'.repeat(31) })).toThrow('JWT_SECRET');
    expect(() => readSettings({ PORT: 'http' })).toThrow('PORT');
    expect(() => readSettings({ DATABASE_URL: 'atlas' })).toThrow('DATABASE_URL');
  });
});
