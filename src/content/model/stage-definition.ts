/** Stages of drafts as a type defines them, and the attribute that contains the stage of a version. */
import { type DeskText, isDeskText } from './layout.js';
import type { AuthoredType, TenantType } from './tenant-definition.js';

/** Name of the attribute with the stage. */
export const STAGE = 'stage';

export type StageDefinition = {
  /** Stages to which a draft in this stage can move. */
  readonly to: readonly string[];
  /** Whether a draft in this stage can be published. Default false. */
  readonly publish?: boolean;
  /** Name of the stage in the desk. Default: its key. */
  readonly label?: DeskText;
  /** Former name, or a removed stage whose documents move to this one: migrations change what is stored. */
  readonly previousName?: string;
};

/** Options of types whose documents have tenants or authors, or whose drafts have stages. */
export interface StagedType extends AuthoredType, TenantType {
  /**
   * Stages of drafts by name, the initial one first. Adds the enumeration `stage`, one value per locale. A
   * change of it is a move, which needs the grant `move`. If a stage has `publish: true`, only drafts in such
   * a stage can be published (400). Requires `draftAndPublish`. Default none.
   */
  readonly stages?: Readonly<Record<string, StageDefinition>>;
}

/** Attribute `stage` of a type with the names of its stages. */
export type StageAttribute<Names extends string = string> = {
  readonly type: 'enumeration';
  readonly enum: readonly [Names, ...Names[]];
  readonly default: Names;
  readonly localized: boolean;
  readonly index: true;
  readonly convert?: Readonly<Record<string, string>>;
  readonly desk?: { readonly values: Readonly<Record<string, DeskText>> };
};

/** Returns the attribute with the stage of a version; null for a type without stages. */
export function stageAttribute({
  stages = {},
  localized = false,
}: StagedType & { readonly localized?: boolean | undefined }): StageAttribute | null {
  const [initial, ...others] = Object.keys(stages);
  if (initial === undefined) return null;
  // A wrong label is reported at its stage, and not again at the attribute.
  const named = Object.entries(stages).flatMap(([name, { label }]) =>
    isDeskText(label) ? [[name, label] as const] : [],
  );
  const renamed = Object.entries(stages).flatMap(([name, { previousName }]) =>
    typeof previousName === 'string' ? [[previousName, name] as const] : [],
  );
  return {
    type: 'enumeration',
    enum: [initial, ...others],
    default: initial,
    localized,
    index: true,
    ...(renamed.length === 0 ? {} : { convert: Object.fromEntries(renamed) }),
    ...(named.length === 0 ? {} : { desk: { values: Object.fromEntries(named) } }),
  };
}
