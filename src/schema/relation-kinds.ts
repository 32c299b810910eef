/** The kinds of relations: one row for each. */
import type { MorphDefinition, MorphSideDefinition, RelationDefinition } from './definitions.js';

/** Any relation, as a definition has it. */
export type AnyRelation = RelationDefinition | MorphDefinition | MorphSideDefinition;

/** A kind of relation: how many targets a document has, and which options say what they are. */
interface RelationKind {
  readonly many: boolean;
  readonly needs: readonly string[];
  readonly takes: readonly string[];
}

const TWO_WAY = { needs: ['target'], takes: ['target', 'inversedBy', 'mappedBy'] };
const MORPH = { needs: [], takes: ['targets'] };
const MORPH_SIDE = { needs: ['target', 'morphBy'], takes: ['target', 'morphBy'] };

export const RELATION_KINDS: Readonly<Record<AnyRelation['relation'], RelationKind>> = {
  oneToOne: { many: false, ...TWO_WAY },
  oneToMany: { many: true, ...TWO_WAY },
  manyToOne: { many: false, ...TWO_WAY },
  manyToMany: { many: true, ...TWO_WAY },
  morphToOne: { many: false, ...MORPH },
  morphToMany: { many: true, ...MORPH },
  morphOne: { many: false, ...MORPH_SIDE },
  morphMany: { many: true, ...MORPH_SIDE },
};

/** The options that say to what a relation leads, whichever its kind. */
export const LEADING = [...new Set(Object.values(RELATION_KINDS).flatMap(({ takes }) => takes))];

/** Whether a relation leads to several types. */
export const isMorph = (def: AnyRelation): def is MorphDefinition =>
  def.relation === 'morphToOne' || def.relation === 'morphToMany';

/** Whether a relation is the other side of one that leads to several types. */
export const isMorphSide = (def: AnyRelation): def is MorphSideDefinition =>
  def.relation === 'morphOne' || def.relation === 'morphMany';
