/** Form of a document with everything that the editor must know first: conflicts, recovered work, errors. */
import { Alert, Anchor, Button, Center, Group, Loader, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { lazy, useMemo } from 'react';
import { Link } from 'wouter';
import { FieldGrid } from '../fields/field-grid.tsx';
import { FormProvider } from '../fields/form-context.ts';
import { fieldIn } from '../fields/jump.ts';
import type { DocumentEditor } from '../editor/document-editor.ts';
import { useSnapshot } from '../editor/use-editor.ts';
import type { Conflict } from '../form/merge.ts';
import { textOfBlocks } from '../form/blocks-text.ts';
import { isItem, isLink, textOfValue, unfinishedText } from '../form/values.ts';
import { type Attribute, mayOpen, type Part } from '../model/model.ts';
import { valueText } from '../model/value-text.ts';
import { Failure } from '../parts/failure.tsx';
import { focusShown } from '../parts/focus-keeper.ts';
import { useAnnouncement } from '../parts/messages.tsx';
import { Opening } from '../parts/opening.tsx';
import { stretch } from '../texts/stretch.ts';
import { type Texts, useFormats, useTexts } from '../texts/texts.ts';
import { useModel } from './app.tsx';
import { Stage } from './stage.tsx';

const Beside = lazy(() => import('./beside.tsx'));

interface FormProps {
  readonly editor: DocumentEditor;
  readonly locale: string;
  /** Another language that is shown beside; null for none. */
  readonly other?: string | null;
}

export function DocumentForm({ editor, locale, other = null }: FormProps) {
  const texts = useTexts();
  const { localeName } = useFormats();
  const model = useModel();
  const { phase, failure, isChanged } = useSnapshot(editor);
  const { type, store, isNew } = editor;
  const form = useMemo(() => ({ store, model, type, isNew, locale }), [store, model, type, isNew, locale]);
  if (phase === 'loading')
    return (
      <Center p="xl">
        <Loader aria-label={texts.loading} />
      </Center>
    );
  if (failure !== null) return <Failure error={failure} retry={() => void editor.load()} />;
  const mayWrite = (isNew ? 'create' : 'update') in type.verbs;
  const isShown = phase !== 'missing' || isChanged;
  const noCreate = type.localized ? texts.noCreateIn(localeName(locale)) : texts.noCreate;
  const storedText = mayOpen(type) ? texts.readOnly : texts.writeOnly;
  return (
    <FormProvider value={form}>
      <Notices editor={editor} />
      <Conflicts editor={editor} />
      {(!mayWrite || (!isNew && !mayOpen(type))) && phase === 'ready' && (
        <Text size="sm" c="dimmed">
          {isNew ? noCreate : storedText}
        </Text>
      )}
      {isShown && <Stage editor={editor} at="form" />}
      {isShown && other === null && <FieldGrid part={type} at="" readOnly={!mayWrite} />}
      {isShown && other !== null && (
        <Opening>
          <Beside editor={editor} other={other} />
        </Opening>
      )}
    </FormProvider>
  );
}

const labelOf = (part: Part, name: string): string =>
  part.attributes.find((one) => one.name === name)?.label ?? name;

function Notices({ editor }: { readonly editor: DocumentEditor }) {
  const texts = useTexts();
  const { dateTime, localeName } = useFormats();
  const { recoveredAt, arrived, phase, isElsewhere, conflicts, isChanged, state } = useSnapshot(editor);
  const hasLocales = editor.type.localized && (state?.locales ?? []).length > 1;
  const recovered = recoveredAt === null ? null : texts.recovered(dateTime(new Date(recoveredAt)));
  const news = arrived.names.map((name) => labelOf(editor.type, name)).join(', ');
  const sentences = [
    arrived.turn === null ? '' : texts.turned[arrived.turn],
    arrived.turn !== null && hasLocales ? texts.bulk.inLocale(localeName(editor.place.locale)) : '',
    news === '' || conflicts.length > 0 ? '' : texts.arrived(news),
  ];
  const arrivedText = sentences.join(' ').trim() || null;
  useAnnouncement(recovered);
  useAnnouncement(arrivedText);
  return (
    <>
      {phase === 'missing' && (
        <Alert color="red" title={isElsewhere ? texts.goneLanguage : texts.gone} role="alert">
          <Stack gap="xs" align="flex-start">
            <Text size="sm">
              {texts.goneHint} {isChanged && texts.goneChanges}
            </Text>
            {'trash' in editor.type.verbs && !isElsewhere && (
              <Anchor component={Link} size="sm" href={`/trash/${editor.type.name}`}>
                {texts.history.toTheTrash}
              </Anchor>
            )}
            {(isElsewhere ? 'update' : 'create') in editor.type.verbs && editor.store.isChanged && (
              <Button size="xs" onClick={() => void editor.createAgain()}>
                {texts.createAgain}
              </Button>
            )}
          </Stack>
        </Alert>
      )}
      {recovered !== null && (
        <Alert color="blue" role="group" title={recovered}>
          <Group gap="xs">
            <Button size="xs" onClick={() => editor.keepRecovered()}>
              {texts.keepRecovered}
            </Button>
            <Button size="xs" variant="default" onClick={() => void editor.revert()}>
              {texts.revert}
            </Button>
          </Group>
        </Alert>
      )}
      {arrivedText !== null && (
        <Alert
          color="blue"
          role="group"
          withCloseButton
          closeButtonLabel={texts.close}
          onClose={() => editor.seen()}
          title={arrivedText}
        />
      )}
    </>
  );
}

/** A value in a few words. */
function summary(value: unknown, texts: Texts): string {
  if (value === null || value === undefined || value === '') return texts.none;
  if (typeof value === 'boolean') return value ? texts.yes : texts.no;
  const blocks = textOfBlocks(value);
  if (blocks !== null) return blocks;
  if (Array.isArray(value))
    return value.length === 0 ? texts.none : value.map((one: unknown) => summary(one, texts)).join(', ');
  if (isItem(value)) {
    const texted = Object.values(value.values).find((one) => typeof one === 'string' && one !== '');
    return typeof texted === 'string' ? texted : value.component;
  }
  if (isLink(value)) return value.title ?? texts.untitled;
  return unfinishedText(value) ?? (textOfValue(value) || JSON.stringify(value));
}

/** Labels along a place in the form, such as `SEO › Title`, and the attribute at its end. */
function placeOf(editor: DocumentEditor, path: string) {
  let part: Part | null = editor.type;
  let place = '';
  let attribute: Attribute | undefined;
  const labels: string[] = [];
  for (const segment of path.split('/')) {
    place = place === '' ? segment : `${place}/${segment}`;
    if (!segment.startsWith('#') && part !== null) {
      attribute = part.attributes.find(({ name }) => name === segment);
      labels.push(labelOf(part, segment));
    }
    const value = editor.store.get(place);
    if (isItem(value)) part = editor.model.component(value.component);
  }
  return { label: labels.join(' › '), attribute };
}

function Conflicts({ editor }: { readonly editor: DocumentEditor }) {
  const texts = useTexts();
  const { conflicts } = useSnapshot(editor);
  if (conflicts.length === 0) return null;
  return (
    <Alert color="orange" title={texts.conflict} role="alert">
      <Stack>
        <Text size="sm">{texts.conflictHint}</Text>
        {conflicts.map((conflict) => (
          <OneConflict key={conflict.path} {...{ editor, conflict }} />
        ))}
      </Stack>
    </Alert>
  );
}

/** Characters that are shown before a difference. */
const CONTEXT = 60;

/** Place from which two long texts are shown, so that a few lines have their first difference. */
function differenceOf(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return one === other || at < 2 * CONTEXT ? 0 : at - CONTEXT;
}

function OneConflict({ editor, conflict }: { readonly editor: DocumentEditor; readonly conflict: Conflict }) {
  const texts = useTexts();
  const formats = useFormats();
  const { label, attribute } = placeOf(editor, conflict.path);
  const resolve = (value: unknown, button: HTMLElement): void => {
    const form = button.closest('.desk-document, [role=dialog]');
    editor.resolve(conflict, value);
    focusShown(() => form?.querySelector('[data-conflict]') ?? fieldIn(form, conflict.path));
  };
  const shown = (value: unknown): string =>
    summary(
      typeof value === 'string' && attribute !== undefined ? valueText(value, attribute, formats) : value,
      texts,
    );
  const [mine, theirs] = [shown(conflict.mine), shown(conflict.theirs)];
  const from = differenceOf(mine, theirs);
  const sides = [
    { title: texts.mine, button: texts.keepMine, value: conflict.mine, text: mine },
    { title: texts.theirs, button: texts.takeTheirs, value: conflict.theirs, text: theirs },
  ];
  return (
    <Stack gap={4} role="group" aria-label={label} data-conflict={conflict.path}>
      <Text fw={600} size="sm">
        {label}
      </Text>
      {mine === theirs && attribute?.type === 'blocks' && <Text size="sm">{texts.history.format}</Text>}
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {sides.map(({ title, button, value, text }) => (
          <Paper key={title} withBorder p="xs">
            <Stack gap={6}>
              <Text size="xs" c="dimmed">
                {title}
              </Text>
              <Text className="desk-conflict" size="sm" dir="auto" tabIndex={0}>
                {from === 0 ? text : `… ${stretch(text, from)}`}
              </Text>
              <Button
                size="compact-sm"
                variant="default"
                aria-label={`${button}: ${label}`}
                onClick={({ currentTarget }) => resolve(value, currentTarget)}
              >
                {button}
              </Button>
            </Stack>
          </Paper>
        ))}
      </SimpleGrid>
    </Stack>
  );
}
