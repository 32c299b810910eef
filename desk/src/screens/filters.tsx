/** Conditions of a list: one row of chips, and a form for another one. */
import { ActionIcon, Badge, Button, Popover, Select, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconFilter, IconX } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import {
  type Filter,
  filtered,
  needsValue,
  operatorsOf,
  searchableAttributes,
  showsPublished,
  withFilter,
} from '../model/list-query.ts';
import { type Attribute, choicesOf, type Type } from '../model/model.ts';
import { valueText } from '../model/value-text.ts';
import { operatorText } from '../texts/operators.ts';
import { type Texts, useFormats, useTexts } from '../texts/texts.ts';

/** Label of an attribute; those of every type have texts of the desk. */
function labelOf({ status, system }: Texts, { name, label, type }: Attribute): string {
  if (type === 'state') return status;
  return label === name ? ((system as Readonly<Record<string, string>>)[name] ?? label) : label;
}

const stateText = ({ draft, modified, published }: Texts, state: string): string =>
  ({ draft, modified, published })[state] ?? state;

interface Props {
  readonly type: Type;
  readonly filters: readonly Filter[];
  readonly change: (filters: readonly Filter[]) => void;
}

export function FilterBar({ type, filters, change }: Props) {
  const texts = useTexts();
  const formats = useFormats();
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const shownValue = (attribute: Attribute, value: string): string => {
    if (attribute.type === 'state') return stateText(texts, value);
    if (attribute.type === 'boolean' && value !== '') return value === 'true' ? texts.yes : texts.no;
    return valueText(value, attribute, formats);
  };
  const add = (filter: Filter): void => {
    change(withFilter(filters, filter, type));
    close();
  };
  const textOf = ({ name, operator, value }: Filter): string => {
    const attribute = filtered(type, name);
    const label = attribute === undefined ? name : labelOf(texts, attribute);
    const shown = attribute === undefined ? value : shownValue(attribute, value);
    return `${label} ${operatorText(texts, operator, attribute?.type)} ${shown}`.trim();
  };
  return (
    <>
      <Popover opened={isOpen} onChange={close} position="bottom-start" trapFocus returnFocus>
        <Popover.Target>
          <Button variant="default" leftSection={<IconFilter size={16} />} onClick={toggle}>
            {texts.addFilter}
          </Button>
        </Popover.Target>
        <Popover.Dropdown aria-label={texts.addFilter}>
          <FilterForm type={type} add={add} />
        </Popover.Dropdown>
      </Popover>
      {filters.map((filter, at) => {
        const text = textOf(filter);
        return (
          <Badge
            key={`${at} ${text}`}
            variant="light"
            size="lg"
            tt="none"
            rightSection={
              <ActionIcon
                size="xs"
                variant="transparent"
                aria-label={texts.removeItem(text)}
                onClick={() => change(filters.filter((one) => one !== filter))}
              >
                <IconX size={12} />
              </ActionIcon>
            }
          >
            {text}
          </Badge>
        );
      })}
      {showsPublished({ filters }, type) && <Text size="sm">{texts.showsPublished}</Text>}
    </>
  );
}

function FilterForm({ type, add }: { readonly type: Type; readonly add: (filter: Filter) => void }) {
  const texts = useTexts();
  const attributes = searchableAttributes(type);
  const [name, setName] = useState(attributes[0]?.name ?? '');
  const attribute = attributes.find((one) => one.name === name);
  const operators = attribute === undefined ? [] : operatorsOf(attribute);
  const [chosen, setOperator] = useState('');
  const [value, setValue] = useState('');
  const operator = operators.includes(chosen) ? chosen : (operators[0] ?? '');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (attribute === undefined || (needsValue(operator) && value === '')) return;
    add({ name, operator, value: needsValue(operator) ? value : '' });
    setValue('');
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="xs" w={240}>
        <Select
          label={texts.attribute}
          data={attributes.map((one) => ({ value: one.name, label: labelOf(texts, one) }))}
          value={name}
          allowDeselect={false}
          searchable
          // The focus of a new form would cover the other fields.
          openOnFocus={false}
          comboboxProps={{ withinPortal: false }}
          onChange={(next) => {
            setName(next ?? '');
            setValue('');
          }}
        />
        <Select
          label={texts.condition}
          data={operators.map((one) => ({ value: one, label: operatorText(texts, one, attribute?.type) }))}
          value={operator}
          allowDeselect={false}
          comboboxProps={{ withinPortal: false }}
          onChange={(next) => setOperator(next ?? '')}
        />
        {attribute !== undefined && needsValue(operator) && (
          <FilterValue attribute={attribute} value={value} change={setValue} />
        )}
        <Button type="submit">{texts.apply}</Button>
      </Stack>
    </form>
  );
}

const INPUTS: Readonly<Record<string, string>> = {
  integer: 'number',
  float: 'number',
  decimal: 'number',
  date: 'date',
  day: 'date',
  datetime: 'datetime-local',
  timestamp: 'datetime-local',
  time: 'time',
};

interface ValueProps {
  readonly attribute: Attribute;
  readonly value: string;
  readonly change: (value: string) => void;
}

/** Values of a condition; null if any can be entered. */
function choicesFor(attribute: Attribute, texts: Texts) {
  const { type } = attribute;
  if (type === 'enumeration') return choicesOf(attribute);
  if (type === 'state')
    return (attribute.enum ?? []).map((value) => ({ value, label: stateText(texts, value) }));
  if (type !== 'boolean') return null;
  return [
    { value: 'true', label: texts.yes },
    { value: 'false', label: texts.no },
  ];
}

function FilterValue({ attribute, value, change }: ValueProps) {
  const texts = useTexts();
  const { type } = attribute;
  const data = choicesFor(attribute, texts);
  if (data !== null) {
    return (
      <Select
        label={texts.value}
        data={data}
        value={value === '' ? null : value}
        comboboxProps={{ withinPortal: false }}
        onChange={(next) => change(next ?? '')}
      />
    );
  }
  return (
    <TextInput
      label={texts.value}
      type={INPUTS[type] ?? 'text'}
      step="any"
      value={value}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}
