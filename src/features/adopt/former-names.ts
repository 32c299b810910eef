/** Names of the source that differ from those here. The report has them for comparisons of both servers. */
import type { Adopted } from './definitions-of.js';
import { BUILT_IN, givenNames } from './names.js';
import type { SourceModel } from './source-schema.js';

interface FormerName {
  /** Uid of the type or component. */
  readonly uid: string;
  /** First segment of the routes of a type. */
  readonly route: string;
  /** Names of attributes, by their names here. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** Former names by the name of a type or component here. */
export type FormerNames = Readonly<Record<string, FormerName>>;

function routeOf(model: SourceModel): string {
  if (model.isComponent) return '';
  const { singular, plural } = givenNames(model);
  return model.kind === 'singleType' ? singular : plural;
}

/** Returns the former names of each type and component with a changed name. */
export function formerNames({ names, models }: Pick<Adopted, 'names' | 'models'>): FormerNames {
  const found: [string, FormerName][] = [];
  for (const model of models.values()) {
    const { uid, isComponent, kind } = model;
    const own = names.get(uid);
    if (own === undefined) continue;
    const { name, plural } = own;
    const changed = [...own.attributes].filter(([from, to]) => from !== to);
    const route = BUILT_IN.has(uid) ? plural : routeOf(model);
    const isSame =
      BUILT_IN.has(uid) ||
      (isComponent
        ? uid === name
        : uid === `api::${name}.${name}` && route === (kind === 'singleType' ? name : plural));
    if (isSame && changed.length === 0) continue;
    const attributes = Object.fromEntries(changed.map(([from, to]) => [to, from]));
    found.push([name, { uid, route, attributes }]);
  }
  return Object.fromEntries(found);
}
