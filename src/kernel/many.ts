/**
 * Statements over rows: one for several statements of the same template. The rows `g` have the values of each
 * as columns, so that the server plans, starts and logs one statement instead of many.
 */
import { textOf } from './parameter-text.js';
import {
  commentOf,
  type Identifier,
  type Merger,
  Param,
  printFragment,
  type Sql,
  sql,
  type Statement,
  type Template,
  template,
} from './sql.js';

/**
 * Form of the merged statement. `each` runs a SELECT once for each row. `rows` is a WITH or INSERT statement
 * whose fragments read the rows `g` themselves; `more` are further columns of `g`.
 */
type Form = { readonly kind: 'each' } | { readonly kind: 'rows'; readonly more: Sql };

interface PrintedItem {
  readonly text: string;
  readonly names: readonly Identifier[];
  /** Value of each column: by its place in the single statement, or from the source. */
  readonly columns: readonly (number | ((source: never) => unknown))[];
}

const CAST = /^::([a-z][a-z0-9_]*(?:\(\d+(?:,\d+)?\))?(?:\[\])?)/;

/** Returns the type of a column: the cast at all its places in the text, or text. */
function typeIn(text: string, column: string): string {
  const [, ...after] = text.split(column);
  const casts = new Set(after.map((rest) => CAST.exec(rest)?.[1] ?? 'text'));
  const [type = 'text', ...others] = casts;
  return others.length === 0 ? type : 'text';
}

class RowsMerger implements Merger {
  private made: PrintedItem | null = null;

  constructor(
    private readonly root: Sql,
    private readonly form: Form,
    private readonly label: string | undefined,
  ) {}

  merge(statements: readonly Statement[]): Statement {
    this.made ??= this.print();
    const { text, names, columns } = this.made;
    const values = columns.map((column) =>
      // Text, since lists of lists would be arrays of two dimensions.
      statements.map((one) =>
        textOf(typeof column === 'number' ? one.values[column] : column(one.source as never)),
      ),
    );
    return { text, names, values, silent: statements[0]?.silent === true };
  }

  private print(): PrintedItem {
    const known = new Map<Param, number>();
    const noted = (param: Param): string => {
      if (!known.has(param)) known.set(param, known.size);
      return '';
    };
    printFragment(this.root, { many: false, place: noted });
    const params: Param[] = [];
    const place = (param: Param): string => {
      const at = params.indexOf(param);
      return `g.c${at < 0 ? params.push(param) - 1 : at}_`;
    };
    const isRows = this.form.kind === 'rows';
    const { text, names } = printFragment(this.root, { many: isRows, place });
    const more = this.form.kind === 'rows' ? printFragment(this.form.more, { many: true, place }) : null;
    const list = (one: (n: number) => string): string => params.map((_param, n) => one(n)).join(', ');
    const columns = list((n) => `u.c${n}_::${typeIn(text, `g.c${n}_`)} as c${n}_`);
    const rows = `select ${columns}, u.item::int4 as item${more?.text ?? ''}
      from unnest(${list((n) => `$${n + 1}::text[]`)}) with ordinality u(${list((n) => `c${n}_`)}, item)`;
    const label = this.label === undefined ? '' : commentOf(this.label);
    const comma = text.startsWith('with ') ? `, ${text.slice('with '.length)}` : ` ${text}`;
    return {
      text: isRows
        ? `${label}with g as materialized (${rows})${comma}`
        : `${label}select g.item, x.* from (${rows}) g cross join lateral (${text}) x`,
      names: [...(more?.names ?? []), ...names],
      columns: params.map((param) => known.get(param) ?? param.read),
    };
  }
}

/** Prints a SELECT that can be merged. It may have no rows other than those of its own parameters. */
export const eachTemplate = <S>(root: Sql, label?: string): Template<S> => ({
  ...template<S>(root, label),
  merger: new RowsMerger(root, { kind: 'each' }, label),
});

/** Prints a write that can be merged, with fragments for one write and for many ({@link forms}). */
export const rowsTemplate = <S>(root: Sql, label?: string, more = sql``): Template<S> => ({
  ...template<S>(root, label),
  merger: new RowsMerger(root, { kind: 'rows', more }, label),
});
