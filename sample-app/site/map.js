/** Map of the home page: a point for each country, and a line for each border. */
import { readAll } from './api.js';
import { element, svg } from './elements.js';

/** Southern edge in degrees: only Antarctica is further south. */
const SOUTH = -58;
const NORTH = 79;

const x = ({ longitude }) => (longitude + 180) * 2;
const y = ({ latitude }) => (NORTH - Math.max(SOUTH, latitude)) * 2.3;

/** Radius by area, from 2 for the smallest countries to 8 for Russia. */
const radius = (area) => 2 + 6 * Math.cbrt(Math.max(0, area ?? 0) / 17_100_000);

const line = (from, to) =>
  svg('line', {
    x1: x(from.coordinates),
    y1: y(from.coordinates),
    x2: x(to.coordinates),
    y2: y(to.coordinates),
  });

/** The list of countries has the same links, so the map is hidden from screen readers and the tab key. */
const point = ({ cca3, name, coordinates, area, region }) =>
  svg(
    'a',
    { href: `#/country/${cca3}`, tabindex: -1, class: `region-${(region?.name ?? '').toLowerCase()}` },
    svg('circle', { cx: x(coordinates), cy: y(coordinates), r: radius(area) }, svg('title', {}, name)),
  );

/** Reads all countries, and returns the map. */
export async function map(locale) {
  const countries = await readAll('countries', {
    fields: ['name', 'cca3', 'area'],
    populate: { coordinates: true, region: { fields: ['name'] }, borders: { fields: ['cca3'] } },
    sort: 'area:desc',
    locale,
  });
  const placed = new Map(countries.filter((one) => one.coordinates).map((one) => [one.cca3, one]));
  const lines = [...placed.values()].flatMap((from) =>
    from.borders
      // Both neighbours list the border.
      .filter(({ cca3 }) => from.cca3 < cca3 && placed.has(cca3))
      .map(({ cca3 }) => line(from, placed.get(cca3))),
  );
  return element(
    'div',
    { class: 'map' },
    svg(
      'svg',
      { viewBox: '0 0 720 328', 'aria-hidden': 'true' },
      svg('g', { class: 'borders' }, ...lines),
      ...[...placed.values()].map(point),
    ),
  );
}
