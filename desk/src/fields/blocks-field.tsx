import { Input, Loader } from '@mantine/core';
import { lazy, Suspense, useId } from 'react';
import { directionOf, useTexts } from '../texts/texts.ts';
import { type FieldProps, useForm, useValue } from './form-context.ts';

const BlocksEditor = lazy(() => import('../blocks/blocks-editor.tsx'));

/** Field of `blocks`. Its editor is loaded with the first such field. */
export function BlocksField({ attribute, path, readOnly }: FieldProps) {
  const texts = useTexts();
  const id = useId();
  const { type, locale } = useForm();
  const [value, set, problem] = useValue<unknown>(path);
  const isLocal = type.localized && attribute.localized;
  return (
    <Input.Wrapper
      label={attribute.label}
      labelElement="div"
      description={attribute.description}
      descriptionProps={{ id }}
      error={problem}
      required={attribute.required}
      data-path={path}
    >
      <Suspense fallback={<Loader size="sm" aria-label={texts.loading} />}>
        <BlocksEditor
          label={attribute.label}
          value={value}
          change={set}
          readOnly={readOnly}
          dir={isLocal ? directionOf(locale) : undefined}
          describedBy={attribute.description === undefined ? undefined : id}
        />
      </Suspense>
    </Input.Wrapper>
  );
}
