import { Alert, Input } from '@mantine/core';
import { type Attribute, needsEntries } from '../model/model.ts';

interface Props {
  readonly attribute: Attribute;
  readonly problem: string | null;
}

/** Label, explanation and problem of a field with several controls. */
export function FieldHead({ attribute: { label, description, required }, problem }: Props) {
  return (
    <>
      <div>
        <Input.Label component="div" required={required}>
          {label}
        </Input.Label>
        {description !== undefined && <Input.Description>{description}</Input.Description>}
      </div>
      <FieldProblem problem={problem} />
    </>
  );
}

/** Legend of a component, or of a list of them, which may be empty without a minimum. */
export const FieldLegend = ({ attribute }: Pick<Props, 'attribute'>) => (
  <Input.Label component="span" size="inherit" fw="inherit" required={needsEntries(attribute)}>
    {attribute.label}
  </Input.Label>
);

/** Problem of a field that is not one input. Its mark leads the focus to the field. */
export const FieldProblem = ({ problem }: Pick<Props, 'problem'>) =>
  problem === null ? null : (
    <Alert color="red" data-problem>
      {problem}
    </Alert>
  );
