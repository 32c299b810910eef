/** Definitions, grants and remarks for a source, before its content is read. */
import { accessOf } from './access-of.js';
import { type Adopted, definitionsOf } from './definitions-of.js';
import { formerNames, type FormerNames } from './former-names.js';
import type { Names } from './names.js';
import { type PrintedFile, printDefinitions } from './print-definitions.js';
import type { Remark } from './remark.js';
import type { Source } from './source.js';

export interface Plan {
  readonly adopted: Adopted;
  readonly files: readonly PrintedFile[];
  readonly remarks: readonly Remark[];
  readonly names: FormerNames;
}

const NO_LINKS = 'Exports of Strapi before 4.20 lack the links of "morphToOne": export with a later release';

const isBefore420 = (version: string): boolean => Number(/^4\.(\d+)\./.exec(version)?.[1] ?? 20) < 20;

/** Returns a remark for each relation whose links the export lacks. */
const lostLinks = ({ models }: Adopted, version: string): readonly Remark[] =>
  [...(isBefore420(version) ? models.values() : [])].flatMap(({ uid: subject, file, attributes }) =>
    Object.entries(attributes)
      .filter(([, { relation }]) => relation === 'morphToOne')
      .map(([key]) => ({ list: 'none', subject, key, file, text: NO_LINKS })),
  );

export function planOf({ schemas, content, remarks }: Source): Plan {
  const adopted = definitionsOf(schemas, content === null ? {} : { layouts: content.survey.layouts });
  const types = new Set(adopted.contentTypes.map(({ singularApiId }) => singularApiId));
  // An application does not start with grants on types that it does not have.
  const names: Names = new Map([...adopted.names].filter(([, { name }]) => types.has(name)));
  const { access, remarks: grants } = accessOf(content?.survey.actions ?? new Map(), names);
  const settings = content === null ? null : content.survey;
  return {
    adopted,
    files: printDefinitions(adopted, {
      access,
      locales: settings?.locales ?? [],
      defaultLocale: settings?.defaultLocale ?? null,
    }),
    remarks: [...remarks, ...adopted.remarks, ...grants, ...lostLinks(adopted, settings?.version ?? '')],
    names: formerNames(adopted),
  };
}
