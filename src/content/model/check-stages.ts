import type { ContentTypeDefinition } from './definitions.js';
import { clashes } from './check-previous.js';
import { LABEL, type Report } from './options.js';
import { STAGE, stageAttribute } from './stage-definition.js';
import { among } from './suggest.js';

const NAME = /^[A-Za-z][A-Za-z0-9_-]*$/;
const OPTIONS = ['to', 'publish', 'label', 'previousName'];

/** Checks the option `stages` of a type. */
export function checkStages(type: ContentTypeDefinition, report: Report): void {
  const { stages, draftAndPublish, attributes } = type;
  if (stages === undefined) return;
  const names = Object.keys(stages);
  if (names.length === 0) report('stages: name at least one stage');
  if (draftAndPublish !== true) report('stages: the type needs draftAndPublish: true');
  for (const [name, stage] of Object.entries(stages)) {
    const at = `stages.${name}`;
    if (!NAME.test(name)) report(`${at}: a name has letters, digits, dashes and underscores, a letter first`);
    for (const key of Object.keys(stage).filter((one) => !OPTIONS.includes(one)))
      report(`${at}: unknown option "${key}"${among(key, OPTIONS)}`);
    if (stage.publish !== undefined && typeof stage.publish !== 'boolean')
      report(`${at}: "publish" must be true or false`);
    if (stage.label !== undefined && !LABEL.admits(stage.label))
      report(`${at}: "label" must be ${LABEL.expected}`);
    const { previousName } = stage;
    if (previousName !== undefined && typeof previousName !== 'string')
      report(`${at}: "previousName" must be a string`);
    for (const to of stage.to.filter((one) => !names.includes(one)))
      report(`${at}: "${to}" is not a stage${among(to, names)}`);
  }
  for (const [name, text] of clashes(new Map(Object.entries(stages))))
    report(`stages.${name}: previousName: ${text}`);
  const given: unknown = attributes[STAGE];
  if (given === undefined)
    report(`stages: define the type with defineCollectionType or defineSingleType, which add "${STAGE}"`);
  else if (JSON.stringify(given) !== JSON.stringify(stageAttribute(type)))
    report(`stages: "${STAGE}" is the attribute of the stages: rename yours`);
}
