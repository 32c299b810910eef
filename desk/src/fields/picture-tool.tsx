/** Tool of a text editor that inserts a picture of the library. */
import { IconPhoto } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import type { Link } from '../form/values.ts';
import { Tool } from '../parts/toolbar.tsx';
import { useTexts } from '../texts/texts.ts';
import { useForm } from './form-context.ts';

const FilePicker = lazy(() => import('../screens/file-picker.tsx'));

interface Props {
  /** Called when the picker closes: undefined if the editor has chosen nothing. */
  readonly choose: (picture: Link | undefined) => void;
}

/** Renders nothing for an editor who may not see the library. */
export function PictureTool({ choose }: Props) {
  const texts = useTexts();
  const [isPicking, setPicking] = useState(false);
  if (!('find' in (useForm().model.type('file')?.verbs ?? {}))) return null;
  return (
    <>
      <Tool label={texts.blocks.image} icon={IconPhoto} run={() => setPicking(true)} />
      {isPicking && (
        <Suspense fallback={null}>
          <FilePicker
            isOne
            allowed={['images']}
            close={([picture]) => {
              setPicking(false);
              choose(picture);
            }}
          />
        </Suspense>
      )}
    </>
  );
}
