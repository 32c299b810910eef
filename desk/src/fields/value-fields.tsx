/** Fields of plain values: texts, numbers, times and choices. */
import { Checkbox, Input, PasswordInput, Select, Text, Textarea, TextInput } from '@mantine/core';
import { type ChangeEvent, type ComponentType, type FocusEvent, useState } from 'react';
import { isNumber, lengthOf, losesDigits, problemOf } from '../form/check.ts';
import { same, unfinished, unfinishedText } from '../form/values.ts';
import { inputOf, isValidTime, localZone, timeOf } from '../model/local-time.ts';
import { choicesOf } from '../model/model.ts';
import { directionOf, useTexts } from '../texts/texts.ts';
import { type FieldProps, useForm, useValue } from './form-context.ts';
import { SlugButton } from './slug-button.tsx';
import { TEXT_FIELDS } from './text-fields.tsx';

/** Types whose values have Latin letters, in all languages. */
const LATIN = ['uid', 'email'];

/** Direction of an input: that of its value, except in a language that is written from right to left. */
function directionIn({ type, localized }: FieldProps['attribute'], locale: string | null): string {
  if (LATIN.includes(type)) return 'ltr';
  return localized && locale !== null && directionOf(locale) === 'rtl' ? 'rtl' : 'auto';
}

/** Properties that all inputs share: label, explanation, problem, direction. */
function useInput<T>({ attribute, path, readOnly }: FieldProps) {
  const texts = useTexts();
  const { locale, type } = useForm();
  const [value, set, refused] = useValue<T | null | undefined>(path);
  // The server says less about a number with a comma.
  const problem = problemOf(attribute, value, texts) ?? refused;
  const shared = {
    label: attribute.label,
    description: attribute.description,
    placeholder: attribute.placeholder,
    required: attribute.required,
    error: problem,
    readOnly,
    'data-path': path,
    dir: directionIn(attribute, type.localized ? locale : null),
    lang: type.localized && attribute.localized ? locale : undefined,
  };
  return { value, set, shared, texts };
}

type Typed = ChangeEvent<HTMLInputElement | HTMLTextAreaElement>;

const orNull = (text: string): string | null => (text === '' ? null : text);

/** Length of a text beside its limit, as soon as most of it is used. */
function Length({ value, max }: { readonly value: string; readonly max: number | undefined }) {
  const texts = useTexts();
  if (max === undefined || value.length < max * 0.8) return null;
  return (
    <Text size="xs" c="dimmed" ta="end" className="desk-length">
      {texts.lengthOf(lengthOf(value), max)}
    </Text>
  );
}

/** Problem of a date or a time with only some of its parts: the browser shows them, but has no value. */
function useParts() {
  const texts = useTexts();
  const [isPart, setPart] = useState(false);
  const note = (event: FocusEvent<HTMLInputElement>): void => setPart(event.currentTarget.validity.badInput);
  return { incomplete: isPart ? texts.incomplete : null, note, forget: () => setPart(false) };
}

const INPUT_TYPES: Readonly<Record<string, string>> = { email: 'email', date: 'date', time: 'time' };

export function TextField(props: FieldProps) {
  const { value, set, shared } = useInput<string>(props);
  const { attribute, path, readOnly } = props;
  const { targetField: target, maxLength } = attribute;
  const text = String(value ?? '');
  const { incomplete, note, forget } = useParts();
  const change = (next: string): void => {
    forget();
    set(orNull(next));
  };
  return (
    <div>
      <TextInput
        {...shared}
        error={shared.error ?? incomplete}
        type={INPUT_TYPES[attribute.type] ?? 'text'}
        step={attribute.type === 'time' ? 1 : undefined}
        value={attribute.type === 'time' ? text.slice(0, 8) : text}
        onBlur={note}
        onChange={(event: Typed) => change(event.currentTarget.value)}
        rightSection={
          target === undefined || readOnly ? undefined : <SlugButton {...{ path, target, maxLength }} />
        }
      />
      <Length value={text} max={maxLength} />
    </div>
  );
}

const MAX_ROWS = 30;
/** Support of sizes by the text. Without it, a script measures, which lays the page out for each field. */
const IS_SIZED = CSS.supports('field-sizing', 'content');

/** Properties of a text area that grows with its text. */
function growing(minRows: number, more = '') {
  if (!IS_SIZED) return { autosize: true, minRows, maxRows: MAX_ROWS, classNames: { input: more } };
  const styles = { input: { '--desk-rows': minRows, '--desk-max-rows': MAX_ROWS } };
  return { styles, classNames: { input: `desk-growing ${more}` } };
}

function LongTextField(props: FieldProps) {
  const { value, set, shared } = useInput<string>(props);
  const text = value ?? '';
  return (
    <div>
      <Textarea
        {...shared}
        {...growing(3)}
        value={text}
        onChange={(event: Typed) => set(orNull(event.currentTarget.value))}
      />
      <Length value={text} max={props.attribute.maxLength} />
    </div>
  );
}

const hasLines = (value: unknown): boolean => typeof value === 'string' && /[\r\n]/.test(value);

/** An input of one line would lose the ends of lines. The field stays as it is while the editor types. */
function StringField(props: FieldProps) {
  const [value] = useValue<unknown>(props.path);
  const [isLong, setLong] = useState(false);
  if (!isLong && hasLines(value)) setLong(true);
  return isLong ? <LongTextField {...props} /> : <TextField {...props} />;
}

/**
 * Returns the value of a typed number. A text that is not a number stays, so that it can be corrected.
 * A `biginteger` stays a text, too: JavaScript may not represent it, and responses have it as a text.
 */
function numberOf(text: string, type: string): number | string | null {
  return type === 'biginteger' || !isNumber(text) ? orNull(text) : Number(text);
}

function NumberField(props: FieldProps) {
  const { value, set, shared } = useInput<number | string>(props);
  const { type } = props.attribute;
  // The signs of the editor, as long as the value is the one that they were typed for.
  const [typed, setTyped] = useState<{ text: string; of: number | string | null }>({ text: '', of: null });
  const change = (text: string): void => {
    const next = numberOf(text.trim(), type);
    set(next);
    setTyped({ text, of: next });
  };
  return (
    <TextInput
      {...shared}
      inputMode={type.endsWith('integer') ? 'numeric' : 'decimal'}
      value={typed.of === (value ?? null) ? typed.text : String(value ?? '')}
      onChange={(event: Typed) => change(event.currentTarget.value)}
    />
  );
}

function BooleanField(props: FieldProps) {
  const { value, set, shared } = useInput<boolean>(props);
  const { placeholder: _placeholder, readOnly, required, label, ...rest } = shared;
  return (
    <Checkbox
      {...rest}
      // The browser would take a required box for one that has to be on.
      label={
        <Input.Label component="span" size="inherit" fw="inherit" required={required}>
          {label}
        </Input.Label>
      }
      checked={value === true}
      indeterminate={value === null || value === undefined}
      // A value that is not set does not look like one that is on.
      variant={value === null || value === undefined ? 'outline' : 'filled'}
      disabled={readOnly}
      onChange={(event) => set(event.currentTarget.checked)}
    />
  );
}

function ChoiceField(props: FieldProps) {
  const { value, set, shared } = useInput<string>(props);
  const data = choicesOf(props.attribute);
  return (
    <Select
      {...shared}
      data={data}
      value={value ?? null}
      clearable={!props.readOnly}
      searchable={data.length > 8}
      onChange={set}
    />
  );
}

function DateTimeField(props: FieldProps) {
  const { value, set, shared, texts } = useInput<string>(props);
  const zone = texts.inZone(localZone());
  const description = shared.description === undefined ? zone : `${shared.description} ${zone}`;
  const { incomplete, note, forget } = useParts();
  const change = (text: string): void => {
    forget();
    if (text !== '' && !isValidTime(text)) return;
    const time = timeOf(text, value);
    // A stored `timestamp` is in milliseconds: another form of it would look like a change.
    set(time !== null && props.attribute.type === 'timestamp' ? String(Date.parse(time)) : time);
  };
  return (
    <TextInput
      {...shared}
      error={shared.error ?? incomplete}
      description={description}
      type="datetime-local"
      step={1}
      value={inputOf(value ?? null, 'seconds')}
      onBlur={note}
      onChange={(event: Typed) => change(event.currentTarget.value)}
    />
  );
}

const textOfJson = (value: unknown): string =>
  value === null || value === undefined ? '' : JSON.stringify(value, null, 2);

/**
 * JSON as text; that of an `array` is a list. A text that is neither, or loses digits, stays in the unsaved
 * work, and is not sent.
 */
function JsonField(props: FieldProps) {
  const { value, set, shared, texts } = useInput<unknown>(props);
  const broken = unfinishedText(value);
  // The signs of the editor, as long as the value is the one that they were typed for, in any order of keys.
  const [typed, setTyped] = useState<{ text: string; of: unknown }>({ text: '', of: null });
  // As entries of lists: an empty text inside of JSON is a value.
  const text = same([typed.of], [value]) ? typed.text : textOfJson(value);
  const isList = props.attribute.type === 'array';
  const reason = (unsent: string): string => {
    if (losesDigits(unsent)) return texts.longNumber;
    return isList ? texts.noList : texts.noJson;
  };
  const change = (next: string): void => {
    try {
      if (losesDigits(next)) return set(unfinished(next));
      const parsed: unknown = next.trim() === '' ? null : JSON.parse(next);
      if (isList && parsed !== null && !Array.isArray(parsed)) return set(unfinished(next));
      set(parsed);
      setTyped({ text: next, of: parsed });
    } catch {
      set(unfinished(next));
    }
  };
  return (
    <Textarea
      {...shared}
      error={broken === null ? shared.error : reason(broken)}
      {...growing(3, 'desk-code')}
      dir="ltr"
      spellCheck={false}
      value={broken ?? text}
      onChange={(event: Typed) => change(event.currentTarget.value)}
    />
  );
}

function PasswordField(props: FieldProps) {
  const { value, set, shared, texts } = useInput<string>(props);
  return (
    <PasswordInput
      {...shared}
      description={texts.showPassword}
      required={false}
      autoComplete="new-password"
      value={value ?? ''}
      onChange={(event: Typed) => set(orNull(event.currentTarget.value))}
    />
  );
}

/** Fields by the type of their attribute. */
export const VALUE_FIELDS: Readonly<Record<string, ComponentType<FieldProps>>> = {
  string: StringField,
  email: TextField,
  uid: TextField,
  date: TextField,
  time: TextField,
  text: LongTextField,
  ...TEXT_FIELDS,
  json: JsonField,
  array: JsonField,
  integer: NumberField,
  float: NumberField,
  biginteger: NumberField,
  decimal: NumberField,
  boolean: BooleanField,
  enumeration: ChoiceField,
  datetime: DateTimeField,
  timestamp: DateTimeField,
  password: PasswordField,
};
