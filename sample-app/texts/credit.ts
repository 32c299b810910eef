/** Source and license of the data. The ODbL requires this notice wherever the data is shown. */
export const CREDIT =
  'Country data and flags: mledoze/countries (https://github.com/mledoze/countries), through the npm package world-countries, ' +
  'available under the Open Database License, ODbL-1.0 (https://opendatacommons.org/licenses/odbl/1-0/).';
