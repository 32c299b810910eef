/** Fields of components: one, a list, or a zone of several kinds. Closed entries render no fields. */
import {
  ActionIcon,
  Button,
  Collapse,
  Fieldset,
  Group,
  Paper,
  Stack,
  Text,
  UnstyledButton,
} from '@mantine/core';
import { IconAlertCircle, IconChevronDown, IconChevronRight, IconPlus, IconTrash } from '@tabler/icons-react';
import { memo, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { FormStore } from '../form/store.ts';
import { copiedItem, type Item, newItem, titleOfValue } from '../form/values.ts';
import { componentsOf, kindOf, type Model } from '../model/model.ts';
import { focusShown } from '../parts/focus-keeper.ts';
import { moved, SortableEntry, SortableList } from '../parts/sortable-list.tsx';
import { stretch } from '../texts/stretch.ts';
import { useTexts } from '../texts/texts.ts';
import { AddItem } from './add-item.tsx';
import { FieldGrid } from './field-grid.tsx';
import { FieldLegend, FieldProblem } from './field-head.tsx';
import { type FieldProps, useForm, useValue } from './form-context.ts';
import { useProblemKeys, useRows, useShown } from './item-rows.ts';
import {
  type Removed,
  RemovedNote,
  removedNotes,
  useFieldState,
  useRemoved,
  withEntry,
} from './removed-note.tsx';

/** Title of an entry: a value of it, else the label of its component. */
function titleOf(model: Model, { component, values }: Item): string {
  const title = titleOfValue(values[model.component(component)?.title ?? '']);
  return shortened(title) || model.componentLabel(component);
}

/** The entry as it was, or a new one with its values if it is no longer stored. */
const broughtBack = (store: FormStore, path: string, item: Item): Item =>
  store.hasStored(path, item) ? item : copiedItem(item);

export function ComponentField({ attribute, path, readOnly }: FieldProps) {
  const texts = useTexts();
  const { model, store } = useForm();
  const [item, set, problem] = useValue<Item | null>(path);
  const [removed, setRemoved] = useFieldState<Item | null>(path, null);
  const [isNew, setNew] = useState(false);
  const fieldset = useRef<HTMLFieldSetElement>(null);
  const uid = attribute.component ?? '';
  const part = model.component(uid);
  if (part === null) return null;
  return (
    <Fieldset ref={fieldset} legend={<FieldLegend attribute={attribute} />} data-path={path}>
      <Stack>
        {attribute.description !== undefined && (
          <Text size="sm" c="dimmed">
            {attribute.description}
          </Text>
        )}
        <FieldProblem problem={problem} />
        {item !== null && item !== undefined && <FieldGrid part={part} at={path} readOnly={readOnly} />}
        {removed !== null && (item === null || item === undefined) && (
          <RemovedNote
            title={attribute.label}
            undo={() => set(broughtBack(store, path, removed))}
            isNew={isNew}
          />
        )}
        {!readOnly && (
          <Group>
            {item === null || item === undefined ? (
              <Button
                variant="light"
                leftSection={<IconPlus size={16} />}
                onClick={() => {
                  set(newItem(uid, part));
                  focusShown(() => fieldset.current);
                }}
              >
                {texts.addItem(attribute.label)}
              </Button>
            ) : (
              <Button
                variant="subtle"
                color="red"
                size="xs"
                leftSection={<IconTrash size={14} />}
                onClick={() => {
                  setRemoved(item);
                  setNew(true);
                  set(null);
                }}
              >
                {texts.removeComponent(attribute.label)}
              </Button>
            )}
          </Group>
        )}
      </Stack>
    </Fieldset>
  );
}

export function ItemsField({ attribute, path, readOnly }: FieldProps) {
  const texts = useTexts();
  const { model, store } = useForm();
  const [rows, problem] = useRows(path);
  const shown = useShown(rows);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const removed = useRemoved<Item>(path);
  const fieldset = useRef<HTMLFieldSetElement>(null);
  const keys = useMemo(() => rows.map(({ key }) => key), [rows]);
  const wrong = useProblemKeys(path);
  // A closed row would hide the field that has to be corrected.
  useEffect(() => {
    if (wrong !== '') setOpened((before) => new Set([...before, ...wrong.split(' ')]));
  }, [wrong]);
  const itemsNow = (): readonly Item[] => (store.get(path) ?? []) as readonly Item[];
  const isFull = attribute.max !== undefined && rows.length >= Number(attribute.max);
  const toggle = useCallback((key: string): void => {
    setOpened((before) => {
      const next = new Set(before);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  }, []);
  const add = (uid: string): void => {
    const part = model.component(uid);
    if (part === null) return;
    const item = newItem(uid, part);
    store.set(path, [...itemsNow(), item]);
    setOpened(new Set([...opened, item.key]));
    const fields = `[data-path="${path}/#${item.key}"] .desk-fields`;
    focusShown(() => fieldset.current?.querySelector(fields));
  };
  const remove = (key: string): void => {
    const at = itemsNow().findIndex((item) => item.key === key);
    const entry = itemsNow()[at];
    if (entry === undefined) return;
    removed.add({ key, entry, at });
    store.set(
      path,
      itemsNow().filter((item) => item.key !== key),
    );
  };
  const undo = (one: Removed<Item>): void => {
    removed.drop(one);
    store.set(path, withEntry(itemsNow(), { ...one, entry: broughtBack(store, path, one.entry) }));
  };
  // An entry is in the list again after its removal was discarded, or decided against.
  const notesAt = (isThere: (at: number) => boolean) =>
    removedNotes(
      removed.all.filter(({ key, at }) => isThere(at) && !keys.includes(key)),
      { titleOf: (item) => titleOf(model, item), undo, last: removed.last },
    );
  return (
    <Fieldset ref={fieldset} legend={<FieldLegend attribute={attribute} />} data-path={path}>
      <Stack gap="xs">
        <Text size="sm" c="dimmed">
          {[attribute.description, texts.entries(rows.length)].filter(Boolean).join(' · ')}
        </Text>
        <FieldProblem problem={problem} />
        <SortableList keys={keys} move={(from, to) => store.set(path, moved(itemsNow(), from, to))}>
          {shown.flatMap(({ key, component }, place) => [
            ...notesAt((at) => at === place),
            <ItemRow
              key={key}
              path={`${path}/#${key}`}
              id={key}
              uid={component}
              list={attribute.label}
              place={rows.length > 1 ? place + 1 : null}
              isZone={kindOf(attribute) === 'items' && attribute.type === 'dynamiczone'}
              isOpen={opened.has(key)}
              isWrong={wrong.split(' ').includes(key)}
              toggle={toggle}
              remove={remove}
              readOnly={readOnly}
            />,
          ])}
          {notesAt((at) => at >= rows.length)}
        </SortableList>
        {!readOnly && !isFull && <AddItem uids={componentsOf(attribute)} label={attribute.label} add={add} />}
      </Stack>
    </Fieldset>
  );
}

interface RowProps {
  readonly path: string;
  readonly id: string;
  readonly uid: string;
  /** Label of the list. */
  readonly list: string;
  /** Place in the list from 1, which distinguishes entries without a title; null for a single entry. */
  readonly place: number | null;
  readonly isZone: boolean;
  readonly isOpen: boolean;
  /** Whether a value inside has a problem. */
  readonly isWrong: boolean;
  readonly toggle: (key: string) => void;
  readonly remove: (key: string) => void;
  readonly readOnly: boolean;
}

const MAX_TITLE = 80;

const shortened = (title: string): string =>
  title.length > MAX_TITLE ? `${stretch(title, 0, MAX_TITLE)}…` : title;

/** Compares all properties but the functions, which do the same in every rendering. */
const isSameRow = (one: RowProps, other: RowProps): boolean =>
  (['path', 'place', 'isOpen', 'isWrong', 'readOnly', 'uid'] as const).every(
    (name) => one[name] === other[name],
  ) && one.toggle === other.toggle;

const ItemRow = memo(function ItemRow(props: RowProps) {
  const { path, id, uid, list, place, isZone, isOpen, isWrong, toggle, remove, readOnly } = props;
  const texts = useTexts();
  const { model } = useForm();
  const part = model.component(uid);
  const [title] = useValue<unknown>(`${path}/${part?.title ?? ''}`);
  const label = model.componentLabel(uid);
  const text = typeof title === 'string' || typeof title === 'number' ? shortened(String(title)) : '';
  const name = text === '' ? [label, place].filter((one) => one !== null).join(' ') : text;
  const entry = [...(isZone || text === '' ? [label] : []), ...(text === '' ? [] : [text])].join(': ');
  const Icon = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <SortableEntry id={id} title={name} isFixed={readOnly}>
      {(handle) => (
        <Paper
          withBorder
          px="xs"
          py={6}
          role="group"
          aria-label={name}
          className={isOpen ? undefined : 'desk-closed-row'}
          data-path={path}
          data-entry={entry}
          data-list={list}
        >
          <Group gap="xs" wrap="nowrap">
            {handle}
            <UnstyledButton flex={1} miw={0} py={8} my={-8} onClick={() => toggle(id)} aria-expanded={isOpen}>
              <Group gap="xs" wrap="nowrap">
                <Icon size={16} className="desk-fixed" aria-hidden />
                <Text size="sm" fw={500} truncate miw={0}>
                  <bdi>{name}</bdi>
                </Text>
                {isWrong && (
                  <IconAlertCircle
                    size={16}
                    className="desk-wrong"
                    role="img"
                    aria-label={texts.hasProblem}
                  />
                )}
                {isZone && text !== '' && (
                  <Text size="xs" c="dimmed" className="desk-wide">
                    {label}
                  </Text>
                )}
              </Group>
            </UnstyledButton>
            {!readOnly && (
              <ActionIcon
                variant="subtle"
                color="red"
                aria-label={texts.removeItem(name)}
                onClick={() => remove(id)}
              >
                <IconTrash size={16} />
              </ActionIcon>
            )}
          </Group>
          {isOpen && part !== null && (
            <Collapse expanded p="xs">
              <FieldGrid part={part} at={path} readOnly={readOnly} />
            </Collapse>
          )}
        </Paper>
      )}
    </SortableEntry>
  );
}, isSameRow);
