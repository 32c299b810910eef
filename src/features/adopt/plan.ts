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
    remarks: [...remarks, ...adopted.remarks, ...grants],
    names: formerNames(adopted),
  };
}
