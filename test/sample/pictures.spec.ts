/** The sample uploads its pictures through the API (issue 13, part 7). */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getContentToken } from 'nestjs-content-api';
import sharp from 'sharp';
import { createAtlas } from '../../sample-app/atlas.ts';
import { AtlasLoader } from '../../sample-app/loader/atlas-loader.ts';
import { PictureLoader } from '../../sample-app/pictures/picture-loader.ts';
import { createDatabase } from '../support/database.ts';

it('uploads flags and covers once, and returns them for the request of the README', async () => {
  const home = mkdtempSync(join(tmpdir(), 'atlas-'));
  const database = await createDatabase();
  const app = await createAtlas({ databaseUrl: database.url, dataFolder: join(home, 'atlas') });
  try {
    await app.get(AtlasLoader).load({ countries: ['CHE', 'AUT', 'LIE', 'UZB'] });
    await app.listen(0);
    const url = (await app.getUrl()).replace('[::1]', 'localhost');
    const pictures = app.get(PictureLoader);
    const drafts = { publicationFilter: 'modified', status: 'draft' };
    const stories = app.get(getContentToken('story'), { strict: false });
    const edited = await stories.count(drafts);
    expect(await pictures.load(url)).toBe(4 + 3);
    expect(await pictures.load(url)).toBe(0);
    expect(await stories.count(drafts)).toBe(edited);
    expect(existsSync(join(home, 'uploads'))).toBe(true);

    const get = async (path: string): Promise<any> => (await fetch(url + path)).json();
    const { data } = await get('/api/countries?filters[cca3]=CHE&populate=flagPicture');
    const { flagPicture } = data[0];
    expect(flagPicture).toMatchObject({
      name: 'che.png',
      alternativeText: 'Flag of CHE',
      width: 640,
      height: 640,
    });
    expect(Object.keys(flagPicture.formats)).toEqual(['small', 'thumbnail']);
    const card = await fetch(`${url}/uploads/${flagPicture.hash}/card`);
    expect(await sharp(await card.arrayBuffer()).metadata()).toMatchObject({ width: 320, height: 200 });
    const stored = await get('/api/stories?filters[slug]=twice-from-the-sea&populate=cover');
    expect(stored.data[0].cover).toMatchObject({ width: 1200, height: 630, mime: 'image/png' });
    // No token of the upload remains.
    expect(await app.get(getContentToken('api-token'), { strict: false }).count()).toBe(0);
  } finally {
    await app.close();
    await database.drop();
    rmSync(home, { recursive: true });
  }
});
