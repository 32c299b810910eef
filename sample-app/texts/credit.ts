/** Who made the data and on what terms. ODbL asks that whoever shows the data says so. */
export const CREDIT =
  'Country data and flags: mledoze/countries (https://github.com/mledoze/countries), through the npm package world-countries, ' +
  'available under the Open Database License, ODbL-1.0 (https://opendatacommons.org/licenses/odbl/1-0/).';
