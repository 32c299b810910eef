/** Two languages of a document side by side. Values of all languages are shown once, and are marked. */
import { ActionIcon, Alert, Button, Center, Group, Loader, Stack, Text } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { DocumentEditor } from '../editor/document-editor.ts';
import { DocumentRequests } from '../editor/requests.ts';
import { useSnapshot } from '../editor/use-editor.ts';
import { FieldGrid, FieldOf } from '../fields/field-grid.tsx';
import { FormProvider, useForm } from '../fields/form-context.ts';
import { copiedValue, emptyIn } from '../form/copy.ts';
import { FormStore } from '../form/store.ts';
import { readValues, type Values } from '../form/values.ts';
import { type Attribute, fieldsOf, isWritable, type Model, type Part, type Type } from '../model/model.ts';
import { say } from '../parts/messages.tsx';
import { failureText } from '../texts/reasons.ts';
import { useFormats, useTexts } from '../texts/texts.ts';
import { useModel } from './app.tsx';

interface Props {
  readonly editor: DocumentEditor;
  /** Language beside that of the form. */
  readonly other: string;
}

/** Reads the other language. Null if the document lacks it. */
function useOther({ editor, other }: Props) {
  const model = useModel();
  const { documentId, updatedAt } = useSnapshot(editor);
  const { type } = editor;
  return useQuery({
    queryKey: ['beside', type.name, documentId, other, updatedAt],
    queryFn: async (): Promise<Values | null> => {
      const answer = await new DocumentRequests(model).read({ type, documentId, locale: other });
      return answer === null ? null : readValues(answer.body.data, type, { model, former: null });
    },
    // The values stay while a save has them read again.
    placeholderData: (former, query) =>
      query?.queryKey[2] === documentId && query.queryKey[3] === other ? former : undefined,
    enabled: documentId !== null || type.kind === 'singleType',
  });
}

export default function Beside({ editor, other }: Props) {
  const texts = useTexts();
  const { localeName } = useFormats();
  const { data, error, isLoading } = useOther({ editor, other });
  const isMissing = (data ?? null) === null && error === null && !isLoading;
  // The form stays: the editor may be typing.
  return (
    <>
      {error !== null && <Alert color="red">{failureText(error, texts)}</Alert>}
      {isLoading && (
        <Center p="xl">
          <Loader aria-label={texts.loading} />
        </Center>
      )}
      {isMissing && <Text size="sm">{texts.panels.missingIn(localeName(other))}</Text>}
      <Columns {...{ editor, other }} values={data ?? null} />
    </>
  );
}

function Columns({ editor, other, values }: Props & { readonly values: Values | null }) {
  const texts = useTexts();
  const model = useModel();
  const form = useForm();
  const { localeName } = useFormats();
  const { type, store, isNew } = editor;
  const mayWrite = (isNew ? 'create' : 'update') in type.verbs;
  const runs = useMemo(() => runsOf(type), [type]);
  const beside = useMemo(() => besideForm({ model, editor, other, values }), [model, editor, other, values]);
  const copy = (attributes: readonly Attribute[]): void => {
    for (const { name } of attributes) store.set(name, copiedValue(values?.[name]));
    say(texts.panels.copied(attributes.length));
  };
  const copyEmpty = (): void => {
    if (values !== null) copy(emptyIn(type, { from: values, to: store.values, isNew }));
  };
  return (
    <Stack>
      <Group justify="space-between">
        {values !== null && mayWrite && (
          <Button size="compact-sm" variant="default" onClick={copyEmpty}>
            {texts.panels.copyEmpty(localeName(other))}
          </Button>
        )}
      </Group>
      <div className="desk-columns">
        <Text fw={700} size="sm" className="desk-column-head">
          {localeName(form.locale)}
        </Text>
        <Text fw={700} size="sm" className="desk-column-head">
          {localeName(other)}
        </Text>
        {runs.map((run) => {
          const [attribute] = run.attributes;
          if (attribute === undefined) return null;
          const readOnly = !mayWrite || !isWritable(attribute, isNew);
          const { name, label } = attribute;
          if (!attribute.localized)
            return (
              <div key={name} className="desk-shared">
                <Text size="xs" c="dimmed" mb="xs">
                  {texts.panels.shared}
                </Text>
                <FieldGrid part={run} at="" readOnly={!mayWrite} />
              </div>
            );
          return (
            <div key={name} className="desk-pair">
              <FieldOf {...{ attribute, readOnly }} path={name} />
              {!readOnly && values !== null && (
                <ActionIcon
                  variant="default"
                  aria-label={texts.panels.copyFrom(label, localeName(other))}
                  title={texts.panels.copyFrom(label, localeName(other))}
                  onClick={() => copy([attribute])}
                >
                  <IconArrowLeft size={16} />
                </ActionIcon>
              )}
              <div data-language={localeName(other)}>
                {values !== null && (
                  <FormProvider value={beside}>
                    <FieldOf attribute={attribute} path={name} readOnly />
                  </FormProvider>
                )}
              </div>
            </div>
          );
        })}
      </div>
    </Stack>
  );
}

/** Parts of a form: each localized attribute alone, and shared attributes that follow each other together. */
function runsOf(type: Type): readonly Part[] {
  const runs: Attribute[][] = [];
  for (const attribute of fieldsOf(type)) {
    const last = runs.at(-1);
    const isShared = !attribute.localized && last?.[0]?.localized === false;
    if (isShared) last?.push(attribute);
    else runs.push([attribute]);
  }
  return runs.map((attributes) => ({ ...type, attributes }));
}

interface Source extends Props {
  readonly model: Model;
  readonly values: Values | null;
}

/** Form of the other language, which nothing changes. */
function besideForm({ model, editor: { type, isNew }, other, values }: Source) {
  return { store: new FormStore(values ?? {}), model, type, isNew, locale: other };
}
