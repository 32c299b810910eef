/** Fields of long texts: `blocks` and `richtext`. Each editor is loaded with the first such field. */
import { Center, Input, Loader } from '@mantine/core';
import { type ComponentType, lazy, type ReactNode, Suspense, useId } from 'react';
import { problemOf } from '../form/check.ts';
import { Boundary } from '../parts/boundary.tsx';
import { directionOf, useTexts } from '../texts/texts.ts';
import { type FieldProps, useForm, useValue } from './form-context.ts';
import { type Look, type Uploading, useUpload } from './text-parts.tsx';
// Styles of both editors: with them, an editor needs no further file.
import './text-fields.css';

const BlocksEditor = lazy(() => import('../blocks/blocks-editor.tsx'));
const MarkdownEditor = lazy(() => import('../markdown/markdown-editor.tsx'));

/** Properties that both editors share. */
type Shared = Look & Pick<Uploading, 'upload' | 'late'>;

interface FrameProps extends FieldProps {
  readonly problem: string | null;
  readonly children: (shared: Shared) => ReactNode;
}

/** Room of an editor until it is loaded, so that the fields below it stay where they are. */
function Waiting() {
  const texts = useTexts();
  return (
    <Center mih={200}>
      <Loader size="sm" aria-label={texts.loading} />
    </Center>
  );
}

function Frame({ attribute, path, readOnly, problem, children }: FrameProps) {
  const id = useId();
  const { type, locale } = useForm();
  const { upload, late, notice } = useUpload(path);
  const isLocal = type.localized && attribute.localized;
  const { label, description, placeholder, required } = attribute;
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      // Below a tall editor, the hint would be out of sight.
      inputWrapperOrder={['label', 'description', 'input', 'error']}
      description={description}
      descriptionProps={{ id }}
      error={problem}
      errorProps={{ 'data-problem': true }}
      required={required}
      data-path={path}
    >
      {notice}
      <Boundary>
        <Suspense fallback={<Waiting />}>
          <div lang={isLocal ? locale : undefined}>
            {children({
              label,
              readOnly,
              dir: isLocal ? directionOf(locale) : 'auto',
              describedBy: description === undefined ? undefined : id,
              placeholder,
              upload,
              late,
            })}
          </div>
        </Suspense>
      </Boundary>
    </Input.Wrapper>
  );
}

const BlocksField: ComponentType<FieldProps> = (props) => {
  const [value, set, problem] = useValue<unknown>(props.path);
  return (
    <Frame {...props} problem={problem}>
      {(shared) => <BlocksEditor {...shared} value={value} change={set} />}
    </Frame>
  );
};

const MarkdownField: ComponentType<FieldProps> = (props) => {
  const texts = useTexts();
  const [value, set, refused] = useValue<string | null | undefined>(props.path);
  const problem = refused ?? problemOf(props.attribute, value, texts);
  return (
    <Frame {...props} problem={problem}>
      {(shared) => (
        <MarkdownEditor {...shared} value={value ?? ''} change={(text) => set(text === '' ? null : text)} />
      )}
    </Frame>
  );
};

export const TEXT_FIELDS: Readonly<Record<string, ComponentType<FieldProps>>> = {
  blocks: BlocksField,
  richtext: MarkdownField,
};
