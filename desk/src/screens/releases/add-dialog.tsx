/** Adds documents of a type to a release, which may be a new one. */
import { Loader, SegmentedControl, Select, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Type } from '../../model/model.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { say } from '../../parts/messages.tsx';
import { useFormats, useTexts } from '../../texts/texts.ts';
import { useModel } from '../app.tsx';
import { addEntries, createRelease, type Release, type ReleaseAction, usePlanned } from './requests.ts';

interface Props {
  readonly type: Type;
  /** Null for a single type. */
  readonly documentIds: readonly (string | null)[];
  readonly locale: string;
  readonly close: () => void;
}

const NEW = 'new';

export default function AddDialog(props: Props) {
  const { loading, releases: texts } = useTexts();
  const { data, error, errorUpdateCount, refetch } = usePlanned(1);
  const { documentIds, close } = props;
  const title = documentIds.length === 1 ? texts.add : texts.addMany(documentIds.length);
  if (data !== undefined)
    return (
      <AddForm {...props} {...{ title }} releases={data.data} isCut={data.meta.pagination.pageCount > 1} />
    );
  // The fields depend on the releases: the dialog opens when they are known, or cannot be read.
  if (errorUpdateCount === 0) return null;
  return (
    <Dialog {...{ title, close }}>
      {error === null ? (
        <Loader size="sm" aria-label={loading} />
      ) : (
        <Failure error={error} retry={() => void refetch()} />
      )}
    </Dialog>
  );
}

interface FormProps extends Props {
  readonly title: string;
  readonly releases: readonly Release[];
  /** Whether there are more releases. */
  readonly isCut: boolean;
}

function AddForm({ type, documentIds, locale, close, title, releases, isCut }: FormProps) {
  const { locale: language, releases: texts } = useTexts();
  const { localeName } = useFormats();
  const model = useModel();
  // The choice stays when other editors create and delete releases.
  const [id, setId] = useState(releases[0]?.id ?? NEW);
  const [name, setName] = useState('');
  const [action, setAction] = useState<ReleaseAction>('publish');
  const [place, setPlace] = useState(locale);
  const hasLocales = type.localized && model.locales.length > 1;
  const options = [
    ...releases.map((one) => ({ value: one.id, label: one.name })),
    { value: NEW, label: texts.newOne },
  ];
  const submit = async (): Promise<void> => {
    const target = id === NEW ? (await createRelease({ name, at: null })).id : id;
    // A second attempt adds to the release that the first one has made.
    setId(target);
    const common = { type: type.name, locale: type.localized ? place : null, action };
    const release = await addEntries(
      target,
      documentIds.map((documentId) => ({ ...common, documentId })),
    );
    say(texts.added(release.name));
  };
  return (
    <FormDialog title={title} label={id === NEW ? texts.addToNew : texts.addTo} close={close} submit={submit}>
      <Select
        label={texts.release}
        description={isCut ? texts.addsToFirst(releases.length) : undefined}
        data={options}
        value={id}
        allowDeselect={false}
        onChange={(next) => setId(next ?? id)}
      />
      {id === NEW && (
        <TextInput
          label={texts.name}
          required
          maxLength={255}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      )}
      <SegmentedControl
        aria-label={texts.action}
        value={action}
        onChange={(next) => setAction(next === 'unpublish' ? 'unpublish' : 'publish')}
        data={[
          { value: 'publish', label: texts.actions.publish },
          { value: 'unpublish', label: texts.actions.unpublish },
        ]}
      />
      <Text size="sm" c="dimmed" role="status">
        {texts.addHints[action]}
      </Text>
      {hasLocales && (
        <SegmentedControl
          aria-label={language}
          value={place}
          onChange={setPlace}
          data={[
            { value: locale, label: localeName(locale) },
            { value: '*', label: texts.everyLocale },
          ]}
        />
      )}
    </FormDialog>
  );
}
