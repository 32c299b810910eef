/** Types of Strapi itself: what their rows and attributes become. */
import { BUILT_IN, OF_BOTH_USERS, OF_BUILT_IN, USER_UID } from './names.js';
import type { Remarks } from './remark.js';
import { privateAttributes, type SourceModel } from './source-schema.js';

/** Attributes that are private in Strapi without a change by the project. No response shows them here. */
const NEVER_SHOWN: readonly string[] = [
  'password',
  'resetPasswordToken',
  'confirmationToken',
  'folder',
  'folderPath',
  'provider_metadata',
];

/** Reports private attributes of built-in types: only grants can hide them here. */
function reportShown(model: SourceModel, remarks: Remarks): void {
  const { uid: subject, file, attributes } = model;
  const name = BUILT_IN.get(subject);
  if (name === undefined) return;
  const hidden = privateAttributes(model);
  const known = subject === USER_UID ? OF_BOTH_USERS : (OF_BUILT_IN.get(subject) ?? []);
  for (const key of known)
    if (!NEVER_SHOWN.includes(key) && (hidden.includes(key) || attributes[key]?.['private'] === true))
      remarks.add({
        list: 'changed',
        subject,
        key,
        file,
        text: `The attribute is not private here: leave it out of the \`fields\` of each grant on \`${name}\``,
      });
}

/** Attributes that newer releases of Strapi added to files. */
const OF_NEW_FILES: readonly string[] = ['focalPoint'];

/** Types of Strapi itself whose rows have another place here. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['plugin::upload.folder', 'Files have the path of their folder, if the source is an archive'],
  ['plugin::i18n.locale', 'Its rows become `locales` and `defaultLocale` of index.ts'],
  [
    'plugin::users-permissions.permission',
    'Its rows become grants in access.ts, if the source is an archive',
  ],
]);

/** Reports what Strapi's own types have, and these types do not have here. */
export function reportInternalTypes(models: readonly SourceModel[], remarks: Remarks): void {
  for (const model of models) {
    const { uid: subject, file, attributes } = model;
    reportShown(model, remarks);
    const known = OF_BUILT_IN.get(subject);
    for (const key of known === undefined ? [] : Object.keys(attributes))
      if (known?.includes(key) === false && !OF_NEW_FILES.includes(key))
        remarks.add({
          list: 'none',
          subject,
          key,
          file,
          text: 'The attribute is left out: the type is built in, and has no further attributes',
        });
    if (BUILT_IN.has(subject) || /^(admin|strapi)::/.test(subject)) continue;
    const place = ELSEWHERE.get(subject);
    remarks.add({
      list: place === undefined ? 'none' : 'changed',
      subject,
      file,
      text: place ?? 'The type belongs to Strapi itself and is not moved',
    });
  }
}
