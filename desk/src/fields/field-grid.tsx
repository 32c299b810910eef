/** Fields of a content type or a component, in a grid of twelve columns. */
import { type ComponentType, type CSSProperties, memo } from 'react';
import { hostField } from '../extension.ts';
import { type Attribute, fieldsOf, isWritable, kindOf, type Part } from '../model/model.ts';
import { ComponentField, ItemsField } from './component-fields.tsx';
import { type FieldProps, useForm } from './form-context.ts';
import { HostField } from './host-field.tsx';
import { LinksField } from './links-field.tsx';
import { MediaField } from './media-field.tsx';
import { TextField, VALUE_FIELDS } from './value-fields.tsx';

const HALF = [
  'integer',
  'biginteger',
  'float',
  'decimal',
  'boolean',
  'date',
  'datetime',
  'timestamp',
  'time',
  'enumeration',
];

/** Types whose field is one tall editor. */
const TALL = ['blocks', 'richtext'];

const widthOf = ({ width, type }: Attribute): number => width ?? (HALF.includes(type) ? 6 : 12);

/** Widths of a field: in a wide form, and in a narrow one, where no field is smaller than half a row. */
const spansOf = (width: number): CSSProperties =>
  ({ '--desk-span': width, '--desk-span-narrow': width <= 6 ? 6 : 12 }) as CSSProperties;

/** Whether a field is a label with one input, which is in line with the inputs next to it. */
const isInput = (attribute: Attribute): boolean =>
  kindOf(attribute) === 'value' && !TALL.includes(attribute.type) && hostField(attribute['field']) === null;

function fieldOf(attribute: Attribute): ComponentType<FieldProps> {
  if (hostField(attribute['field']) !== null) return HostField;
  const kind = kindOf(attribute);
  if (kind === 'item') return ComponentField;
  if (kind === 'items') return ItemsField;
  if (kind === 'links') return attribute.type === 'media' ? MediaField : LinksField;
  return VALUE_FIELDS[attribute.type] ?? TextField;
}

/** Field of one attribute. */
export function FieldOf(props: FieldProps) {
  const Field = fieldOf(props.attribute);
  return <Field {...props} />;
}

interface Props {
  readonly part: Part;
  /** Place of the part in the form; empty for the document. */
  readonly at: string;
  readonly readOnly?: boolean;
}

/** Renders again only for another part or place: each field subscribes to its own value. */
export const FieldGrid = memo(function FieldGrid({ part, at, readOnly = false }: Props) {
  const { isNew } = useForm();
  const fields = fieldsOf(part);
  // A taller field next to inputs would pull their labels and inputs apart.
  const isLined = fields.every((attribute) => widthOf(attribute) === 12 || isInput(attribute));
  return (
    <div className="desk-fields">
      <div className="desk-grid">
        {fields.map((attribute) => (
          <div
            key={attribute.name}
            className={isLined && isInput(attribute) ? 'desk-lined' : undefined}
            style={spansOf(widthOf(attribute))}
          >
            <FieldOf
              attribute={attribute}
              path={at === '' ? attribute.name : `${at}/${attribute.name}`}
              readOnly={readOnly || !isWritable(attribute, isNew)}
            />
          </div>
        ))}
      </div>
    </div>
  );
});
