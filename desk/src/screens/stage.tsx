/** Stage of a draft in the bar above its form: a choice of the moves that the editor may make. */
import { Badge, Group, Select, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import type { DocumentEditor } from '../editor/document-editor.ts';
import { isWritable, STAGE, type Type, valueLabel } from '../model/model.ts';
import { say } from '../parts/messages.tsx';
import { reasonText } from '../texts/reasons.ts';
import { useTexts } from '../texts/texts.ts';

interface Props {
  readonly editor: DocumentEditor;
}

/** Stored stage, and the one that the form shows; the first one for a draft without a value. */
function useStage({ editor: { type, store } }: Props): { readonly stored: string; readonly shown: string } {
  const [initial = ''] = Object.keys(type.stages ?? {});
  const subscribe = (listener: () => void): (() => void) => store.subscribe(STAGE, listener);
  const of = (value: unknown): string => (typeof value === 'string' ? value : initial);
  const stored = useSyncExternalStore(subscribe, () => of(store.base[STAGE]));
  const shown = useSyncExternalStore(subscribe, () => of(store.get(STAGE)));
  return { stored, shown };
}

/** Reason why the server has refused the stage; null if it has not. */
export function useStageProblem({ type, store }: DocumentEditor): string | null {
  const texts = useTexts();
  const problem = useSyncExternalStore(
    (listener) => store.subscribe(STAGE, listener),
    () => (type.stages === null ? null : store.problemAt(STAGE)),
  );
  return problem === null ? null : reasonText(problem, texts, (name) => stageLabel(type, name));
}

/** Name of a stage for the editor. */
function stageLabel({ attributes }: Type, stage: string): string {
  const attribute = attributes.find(({ name }) => name === STAGE);
  return attribute === undefined ? stage : valueLabel(attribute, stage);
}

/**
 * Says that an edit has ended the approval of a draft. Returns a function that notes a stage as chosen by the
 * editor.
 */
function useEndedApproval(editor: DocumentEditor, stored: string): (chosen: string) => void {
  const { panels } = useTexts();
  const before = useRef({ editor, stored });
  const chosen = useRef<string | null>(null);
  useEffect(() => {
    const last = before.current;
    before.current = { editor, stored };
    const isChange = last.editor === editor && last.stored !== stored && chosen.current !== stored;
    chosen.current = null;
    const { type } = editor;
    const isEnded = type.stages?.[last.stored]?.publish === true && type.stages[stored]?.publish !== true;
    if (isChange && isEnded) say(panels.stageEnded(stageLabel(type, stored)));
  }, [editor, stored]);
  return (next) => {
    chosen.current = next;
  };
}

interface StageProps extends Props {
  /** A phone shows the stage above the fields, since its bar has no room. */
  readonly at: 'bar' | 'form';
}

export function Stage({ editor, at }: StageProps) {
  const isNarrow = useMediaQuery('(max-width: 30em)', false, { getInitialValueInEffect: false });
  if (editor.type.stages === null || editor.isNew || (at === 'form') !== isNarrow) return null;
  return <StageSelect editor={editor} at={at} />;
}

function StageSelect({ editor, at }: StageProps) {
  const { panels } = useTexts();
  const { stored, shown } = useStage({ editor });
  const noteChoice = useEndedApproval(editor, stored);
  const { type, store } = editor;
  const problem = useStageProblem(editor);
  const mayWrite =
    'update' in type.verbs && type.attributes.some((one) => one.name === STAGE && isWritable(one, false));
  const moves = mayWrite ? (type.stages?.[stored]?.to ?? []) : [];
  if (moves.length === 0) return <FixedStage name={stageLabel(type, stored)} at={at} />;
  const move = async (next: string): Promise<void> => {
    noteChoice(next);
    store.set(STAGE, next);
    if (await editor.save()) say(panels.stageMoved(stageLabel(type, next)));
  };
  return (
    <Select
      {...(at === 'bar' ? { size: 'xs', w: 140, 'aria-label': panels.stage } : { label: panels.stage })}
      data={[...new Set([stored, ...moves])].map((value) => ({ value, label: stageLabel(type, value) }))}
      value={shown}
      error={problem === null || at === 'bar' ? problem !== null : problem}
      allowDeselect={false}
      onChange={(next) => void (next !== null && move(next))}
    />
  );
}

/** Stage without a move for this editor. */
function FixedStage({ name, at }: { readonly name: string; readonly at: StageProps['at'] }) {
  const { panels } = useTexts();
  const badge = (
    <Badge variant="outline" color="gray" tt="none" aria-label={`${panels.stage}: ${name}`}>
      {name}
    </Badge>
  );
  if (at === 'bar') return badge;
  return (
    <Group gap="xs">
      <Text size="sm" fw={500} aria-hidden>
        {panels.stage}
      </Text>
      {badge}
    </Group>
  );
}

/** Reason why the draft cannot be published yet; null if its stage allows it. */
export function useMissingStage(editor: DocumentEditor): string | null {
  const { panels } = useTexts();
  const { shown } = useStage({ editor });
  const stages = Object.entries(editor.type.stages ?? {});
  const publishing = stages.filter(([, { publish }]) => publish).map(([name]) => name);
  if (stages.length === 0 || publishing.includes(shown)) return null;
  return panels.stageFirst(publishing.map((name) => stageLabel(editor.type, name)).join(', '));
}
