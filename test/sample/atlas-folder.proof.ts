import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import supertest from 'supertest';
import { createAtlas } from '../../sample-app/atlas.ts';
import { AtlasLoader } from '../../sample-app/loader/atlas-loader.ts';
import { post, register } from './visitors.ts';

describe('atlas on PGlite', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'atlas-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('stores its data in a folder, for one process at a time', async () => {
    mkdirSync(join(folder, 'cluster.new'));
    writeFileSync(join(folder, 'cluster.new', 'PG_VERSION'), 'left by a start that was killed');
    const options = { dataFolder: folder, jwtSecret: 'a secret of the tests that is long enough' };
    const app = await createAtlas(options);
    await app.get(AtlasLoader).load({ countries: ['CHE', 'LIE'] });
    const jwt = await register(app, 'ann');
    await post(app, '/api/visitor-notes', { data: { message: 'Grüezi' } }, jwt).expect(201);
    await expect(createAtlas({ dataFolder: folder })).rejects.toThrow('in use');
    await app.close();

    const again = await createAtlas(options);
    expect(await again.get(AtlasLoader).load({ countries: ['CHE', 'LIE'] })).toBe(false);
    const { body } = await supertest(again.getHttpServer())
      .get('/api/visitor-notes?populate=author')
      .set('authorization', `Bearer ${jwt}`)
      .expect(200);
    expect(body.data).toMatchObject([{ message: 'Grüezi', author: { username: 'ann' } }]);
    await supertest(again.getHttpServer()).get('/api/visitor-notes').expect(403);
    await again.close();
  });
});
