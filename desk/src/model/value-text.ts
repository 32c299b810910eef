/** Values as texts in the language of the editor. */
import { instantOf } from './local-time.ts';
import { type Attribute, isInstant, valueLabel } from './model.ts';
import type { useFormats } from '../texts/texts.ts';

type Formats = Pick<ReturnType<typeof useFormats>, 'date' | 'dateTime' | 'exactTime'>;

/** Text of a value: days and times in their formats, choices by their labels. Others stay. */
export function valueText(value: string, attribute: Attribute, formats: Formats): string {
  if (attribute.type === 'date' || attribute.type === 'day') {
    const at = new Date(`${value}T00:00`);
    return Number.isNaN(at.getTime()) ? value : formats.date(at);
  }
  if (!isInstant(attribute)) return valueLabel(attribute, value);
  const at = instantOf(value);
  if (Number.isNaN(at.getTime())) return value;
  return at.getSeconds() === 0 ? formats.dateTime(at) : formats.exactTime(at);
}
