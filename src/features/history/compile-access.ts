/** Conditions of grants on stored versions: they hold for the stored values, not for the current ones. */
import { type Decision, type Formula, ruleOf } from '../../content/access/decide.js';
import { isMet, ruleContext, type StateDecisions } from '../../content/compile/compile-version-rights.js';
import { rowScope } from '../../content/compile/scope.js';
import { isAuthor } from '../../content/model/authors.js';
import { byKind } from '../../content/model/by-kind.js';
import type { Attribute, ContentType } from '../../content/model/model.js';
import { planWhere } from '../../content/plan/granted.js';
import type { Condition } from '../../content/plan/plan.js';
import { quote, type Sql, sql } from '../../kernel/sql.js';
import { isCreator, isStored } from './compile-content.js';

type AttributeSet = ReadonlySet<Attribute>;

/** Returns the attributes of a document that a condition names. */
function namedBy(condition: Condition): readonly Attribute[] {
  switch (condition.kind) {
    case 'compare':
    case 'related':
      return [condition.attribute];
    case 'own':
      return [condition.owner.attribute];
    case 'granted':
      return namedIn(condition.formula);
    case 'constant':
      return [];
    default:
      return condition.parts.flatMap(namedBy);
  }
}

function namedIn(formula: Formula): readonly Attribute[] {
  if (formula.kind === 'own') return [formula.owner.attribute];
  if (formula.kind === 'where') return namedBy(planWhere(formula));
  return formula.parts.flatMap(namedIn);
}

/** Value of an attribute in the content of the version `f`, as a column; null if versions do not store it. */
function columnOf(attribute: Attribute, type: ContentType): Sql | null {
  if (['documentId', 'locale'].includes(attribute.name) && attribute.open) return sql``;
  const column = type.storage.columnOf.get(attribute.name);
  if (column === undefined) return null;
  const value = valueOf(attribute);
  return value === null ? null : sql`, ${value} as ${quote(column.name)}`;
}

/** Prints the value that a version has for conditions. The last author is its caller. */
function valueOf(attribute: Attribute): Sql | null {
  if (isStored(attribute) || isCreator(attribute)) return storedValue(attribute);
  return isAuthor(attribute) ? sql`case when f.actor = 'user' then f.actor_id end` : null;
}

const nameOf = ({ name }: Attribute): Sql => quote(name, 'string');
const linkedDocument = (attribute: Attribute): Sql => sql`f.content->${nameOf(attribute)}->>0`;

/** Value in the content of the version `f` as a column has it; null for components. */
const storedValue = byKind<Attribute, [], Sql | null>({
  scalar: (attribute) => attribute.type.member.value(sql`f.content`, nameOf(attribute)),
  relation: linkedDocument,
  morph: linkedDocument,
  component: () => null,
  zone: () => null,
});

interface StoredVersions {
  readonly type: ContentType;
  readonly defaultLocale: string;
}

/**
 * Condition that the stored version `f` meets the decision for its state. A condition that names an attribute
 * whose value versions do not store, or links in a table, excludes every version.
 */
export function compileStoredRule(decisions: StateDecisions, { type, defaultLocale }: StoredVersions): Sql {
  const attributesIn = (decision: Decision): readonly Attribute[] => {
    const rule = ruleOf(decision);
    return rule === null ? [] : namedBy(rule);
  };
  const storedOnly = (decision: Decision): Decision =>
    attributesIn(decision).some((attribute) => columnOf(attribute, type) === null) ? 'none' : decision;
  const asked = { published: storedOnly(decisions.published), drafts: storedOnly(decisions.drafts) };
  const touched: AttributeSet = new Set([asked.published, asked.drafts].flatMap(attributesIn));
  const context = ruleContext(defaultLocale);
  if (touched.size === 0) return isMet(asked, { row: rowScope(type, sql`f`), context });
  const columns = [...touched].map((attribute) => columnOf(attribute, type) ?? sql``);
  const scope = { row: rowScope(type, sql`v`), context };
  const values = columns.reduce((all, one) => sql`${all}${one}`, sql`f.document_id, f.locale, f.published`);
  return sql`exists (select 1 from (select ${values}) v where ${isMet(asked, scope)})`;
}
