/** Details of the errors of parameters within `populate`. */
import { parsePopulate } from '../../src/content/query/parse-populate.ts';
import { readRaw } from '../../src/content/query/read-raw.ts';
import { ContentError } from '../../src/kernel/errors.ts';
import { resolveSettings } from '../../src/kernel/settings.ts';

const { limits } = resolveSettings({});

function detailsOf(query: string): unknown {
  try {
    const raw = readRaw(query, limits)['populate'];
    return parsePopulate(raw, { limits, conditions: { left: 9, allowed: 9 }, depth: 1 });
  } catch (error) {
    if (error instanceof ContentError) return error.details;
    throw error;
  }
}

it.each([
  ['populate[a][fields][x]=1', 'fields', 'a'],
  ['populate[a][sort]=x:up', 'sort', 'a'],
  ['populate[a][filters]=x', 'filters', 'a'],
  ['populate[a][filters][x][$and]=y', '$and', 'x'],
  ['populate[a][populate][b][fields][x]=1', 'fields', 'a.b'],
  ['populate[a][populate][0][b]=1', 'populate', 'a'],
  ['populate[z][on][c.one][sort]=x:up', 'sort', 'z.on.c.one'],
])('%s names the key and its path', (query, key, path) =>
  expect(detailsOf(query)).toMatchObject({ key, path, source: 'query', param: 'populate' }),
);
