/** Table of the documents of one page. */
import { ActionIcon, Box, Button, Checkbox, Table, Text } from '@mantine/core';
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import { type ReactNode, useRef } from 'react';
import { Link } from 'wouter';
import type { DocumentState } from '../editor/requests.ts';
import { type Json, titleOfValue } from '../form/values.ts';
import type { Column, ListState } from '../model/list-query.ts';
import { hasDrafts, type Type } from '../model/model.ts';
import { Cell } from '../parts/cell.tsx';
import { distinct } from '../parts/distinct.ts';
import { SortableList, useEntry } from '../parts/sortable-list.tsx';
import { LocaleBadges, StatusBadge } from '../parts/status.tsx';
import { type Texts, useFormats, useTexts } from '../texts/texts.ts';
import { useModel } from './app.tsx';

export const columnLabel = ({ name, attribute }: Column, { system }: Texts): string =>
  attribute?.label ?? system[name as keyof typeof system] ?? name;

interface TableProps {
  readonly type: Type;
  readonly state: ListState;
  readonly columns: readonly Column[];
  readonly documents: readonly Json[];
  /** Titles of the selected documents by their id. */
  readonly selected: ReadonlyMap<string, string>;
  /** Null if the editor may not act on several documents. */
  readonly setSelected: ((selected: ReadonlyMap<string, string>) => void) | null;
  readonly go: (change: Partial<ListState>) => void;
  /** Moves a row to another place; null if the rows have no order of the editors. */
  readonly move: ((from: number, to: number) => void) | null;
}

const titleOf = (document: Json, type: Type, texts: Texts): string =>
  titleOfValue(document[type.title]) || texts.untitled;

/** Whether a document lacks a language, so that the list shows the default one. */
const isMissing = (known: DocumentState | undefined, locale: string): boolean =>
  known?.locales !== undefined && !known.locales.some((one) => one.locale === locale);

const fixedOrder = ({ order }: Type): 'none' | 'fixed' => (order === null ? 'none' : 'fixed');

interface ListedRow {
  readonly id: string;
  readonly title: string;
}

/** Returns a function that selects or clears a row; with `isRange`, also those between it and the last. */
function useToggle(rows: readonly ListedRow[], { selected, setSelected }: TableProps) {
  const last = useRef<string | null>(null);
  return (at: number, isRange: boolean): void => {
    const next = new Map(selected);
    const isAdded = !selected.has(rows[at]?.id ?? '');
    const from = isRange ? rows.findIndex(({ id }) => id === last.current) : -1;
    const [start, end] = from === -1 ? [at, at] : [Math.min(from, at), Math.max(from, at)];
    for (const { id, title } of rows.slice(start, end + 1))
      if (isAdded) next.set(id, title);
      else next.delete(id);
    last.current = rows[at]?.id ?? null;
    setSelected?.(next);
  };
}

export function DocumentTable(props: TableProps) {
  const { type, state, columns, documents, selected, setSelected, go, move } = props;
  const texts = useTexts();
  const model = useModel();
  const rows = documents.map((document) => ({
    document,
    id: String(document['documentId']),
    title: titleOf(document, type, texts),
  }));
  const names = distinct(rows.map(({ title }) => title));
  const order = move === null ? fixedOrder(type) : 'movable';
  const hasLocales = type.localized && model.locales.length > 1;
  const mayOpen = 'findOne' in type.verbs;
  const isAll = rows.every(({ id }) => selected.has(id));
  const isTitle = ({ name }: { readonly name: string }): boolean => name === type.title;
  const head = { name: type.title, attribute: type.attributes.find(isTitle) ?? null, sortable: true };
  const others = columns.filter((column) => !isTitle(column));
  const toggle = useToggle(rows, props);
  const table = (
    <Table.ScrollContainer minWidth={300}>
      <Table highlightOnHover verticalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            {type.order !== null && <OrderHead {...{ type, state, go }} />}
            {setSelected !== null && (
              <Table.Th w={40}>
                <Checkbox
                  aria-label={texts.selectAll}
                  checked={isAll}
                  indeterminate={!isAll && selected.size > 0}
                  onChange={() =>
                    setSelected(isAll ? new Map() : new Map(rows.map(({ id, title }) => [id, title])))
                  }
                />
              </Table.Th>
            )}
            <ColumnHead column={head} {...{ state, go }} className="" />
            {hasDrafts(type) && <Table.Th>{texts.status}</Table.Th>}
            {hasLocales && <Table.Th className="desk-wide">{texts.locales}</Table.Th>}
            {others.map((column) => (
              <ColumnHead key={column.name} {...{ column, state, go }} className="desk-wide" />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ document, id, title }, at) => {
            const name = names[at] ?? title;
            const known = document['__state'] as DocumentState | undefined;
            const suffix = state.locale === model.defaultLocale ? '' : `?locale=${state.locale}`;
            return (
              <Row key={id} {...{ id, order }} title={name} isSelected={selected.has(id)}>
                {setSelected !== null && (
                  <Table.Td>
                    <Checkbox
                      aria-label={texts.select(name)}
                      checked={selected.has(id)}
                      onChange={({ nativeEvent }) =>
                        toggle(at, 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true)
                      }
                    />
                  </Table.Td>
                )}
                <Table.Td className="desk-title">
                  <TitleCell
                    href={mayOpen ? `/content/${type.name}/${id}${suffix}` : null}
                    {...{ id, title, name, known, hasLocales }}
                    locale={state.locale}
                  />
                </Table.Td>
                {hasDrafts(type) && (
                  <Table.Td>{known !== undefined && <StatusBadge status={known.status} />}</Table.Td>
                )}
                {hasLocales && (
                  <Table.Td className="desk-wide">
                    {known !== undefined && <LocaleBadges state={known} locales={model.locales} />}
                  </Table.Td>
                )}
                {others.map(({ name, attribute }) => (
                  <Table.Td key={name} className="desk-wide">
                    <Cell {...{ name, attribute, document, model }} />
                  </Table.Td>
                ))}
              </Row>
            );
          })}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
  if (move === null) return table;
  return (
    <SortableList keys={rows.map(({ id }) => id)} move={move}>
      {table}
    </SortableList>
  );
}

interface RowProps {
  readonly id: string;
  readonly title: string;
  readonly isSelected: boolean;
  /** `none`: the type has no order. `fixed`: the list is not in this order. */
  readonly order: 'none' | 'fixed' | 'movable';
  readonly children: ReactNode;
}

const backgroundOf = ({ isSelected }: RowProps): string | undefined =>
  isSelected ? 'var(--mantine-primary-color-light)' : undefined;

function Row(props: RowProps) {
  if (props.order === 'movable') return <MovableRow {...props} />;
  return (
    <Table.Tr bg={backgroundOf(props)}>
      {props.order === 'fixed' && <Table.Td />}
      {props.children}
    </Table.Tr>
  );
}

function MovableRow(props: RowProps) {
  const { id, title, children } = props;
  const { handle, ref, style } = useEntry({ id, title, isFixed: false });
  return (
    <Table.Tr ref={ref} bg={backgroundOf(props)} style={style}>
      <Table.Td>{handle}</Table.Td>
      {children}
    </Table.Tr>
  );
}

/** Head of the handles, which sorts the list by the order of the editors. */
function OrderHead({ type, state, go }: Pick<TableProps, 'type' | 'state' | 'go'>) {
  const texts = useTexts();
  const isSorted = state.sort === `${type.order}:asc`;
  return (
    <Table.Th w={40} aria-sort={isSorted ? 'ascending' : 'none'}>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={texts.sortByOrder}
        disabled={isSorted}
        onClick={() => go({ sort: `${type.order}:asc` })}
      >
        <IconArrowsSort size={16} />
      </ActionIcon>
    </Table.Th>
  );
}

interface HeadProps {
  readonly column: Column;
  readonly state: ListState;
  readonly go: (change: Partial<ListState>) => void;
  readonly className: string;
}

function ColumnHead({ column, state, go, className }: HeadProps) {
  const texts = useTexts();
  const label = columnLabel(column, texts);
  const [name, direction] = state.sort.split(':');
  const isSorted = name === column.name;
  if (!column.sortable) return <Table.Th className={className}>{label}</Table.Th>;
  const Icon = direction === 'desc' ? IconArrowDown : IconArrowUp;
  const next = isSorted && direction !== 'desc' ? 'desc' : 'asc';
  const order = direction === 'desc' ? 'descending' : 'ascending';
  return (
    <Table.Th className={className} aria-sort={isSorted ? order : 'none'}>
      <Button
        variant="transparent"
        color="gray"
        size="compact-sm"
        px={0}
        fw={700}
        c="inherit"
        rightSection={isSorted ? <Icon size={14} /> : null}
        aria-label={texts.sortBy(label)}
        onClick={() => go({ sort: `${column.name}:${next}` })}
      >
        {label}
      </Button>
    </Table.Th>
  );
}

interface TitleProps {
  readonly id: string;
  /** Null if the editor may not open documents. */
  readonly href: string | null;
  readonly title: string;
  /** Title that no other row has. */
  readonly name: string;
  readonly known: DocumentState | undefined;
  /** Language of the list. */
  readonly locale: string;
  readonly hasLocales: boolean;
}

function TitleCell({ id, href, title, name, known, locale, hasLocales }: TitleProps) {
  const texts = useTexts();
  const { defaultLocale, locales } = useModel();
  const { localeName } = useFormats();
  return (
    <>
      {href === null ? (
        <span dir="auto">{title}</span>
      ) : (
        <Link
          className="desk-row-link"
          data-document={id}
          href={href}
          dir="auto"
          aria-label={name === title ? undefined : name}
        >
          {title}
        </Link>
      )}
      {isMissing(known, locale) && (
        <Text size="xs" c="dimmed">
          {texts.panels.fallback(localeName(defaultLocale))}
        </Text>
      )}
      {hasLocales && known !== undefined && (
        <Box hiddenFrom="sm" mt={4}>
          <LocaleBadges state={known} locales={locales} />
        </Box>
      )}
    </>
  );
}
