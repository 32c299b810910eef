/** Bar above a form: what is saved, what is live, and the buttons. */
import { ActionIcon, Group, Menu, Text } from '@mantine/core';
import { IconDeviceFloppy, IconDots } from '@tabler/icons-react';
import { lazy, useEffect, useRef, useState } from 'react';
import type { DocumentEditor } from '../editor/document-editor.ts';
import { offerCopy } from '../editor/copies.ts';
import { localesFor } from '../editor/everywhere.ts';
import { leaving } from '../editor/leaving.ts';
import { type Everywhere, isStoredIn } from '../editor/requests.ts';
import type { Snapshot } from '../editor/snapshot.ts';
import { useSnapshot } from '../editor/use-editor.ts';
import { focusIn } from '../fields/jump.ts';
import { hasDrafts, mayRelease } from '../model/model.ts';
import { ifNoDialog } from '../parts/dialog.tsx';
import { say } from '../parts/messages.tsx';
import { Opening } from '../parts/opening.tsx';
import { usePageKeys } from '../parts/page-keys.ts';
import { StatusBadge } from '../parts/status.tsx';
import { SteadyButton } from '../parts/steady-button.tsx';
import { reasonText } from '../texts/reasons.ts';
import { type Texts, useFormats, useTexts } from '../texts/texts.ts';
import { type Asked, gapsOf, Question } from './document-question.tsx';
import { UsesDialog } from './document-uses.tsx';
import { EverywhereDialog } from './everywhere-dialog.tsx';
import ScheduleDialog from './schedule.tsx';
import { Stage, useMissingStage, useStageProblem } from './stage.tsx';

const AddDialog = lazy(() => import('./releases/add-dialog.tsx'));

interface Props {
  readonly editor: DocumentEditor;
  readonly deleted: () => void;
  /** Opens a new document; without it, documents cannot be duplicated here. */
  readonly create?: () => void;
  /** Pixels of a form in the middle of the screen, so that the bar ends where the form does. */
  readonly width?: number;
  /** Acts on a key if nothing lies over the form. */
  readonly ifOnTop?: (act: () => void) => void;
}

type PanelName = 'schedule' | 'release' | 'uses' | Everywhere;

export function SaveBar({ editor, deleted, create, width, ifOnTop = ifNoDialog }: Props) {
  const texts = useTexts();
  const snapshot = useSnapshot(editor);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [panel, setPanel] = useState<PanelName | null>(null);
  const shown = useRef<DocumentEditor | null>(null);
  useEffect(() => {
    shown.current = editor;
    return () => void (shown.current = null);
  }, [editor]);
  // By then, the screen may show another document.
  const leave = (): void => void (shown.current === editor && deleted());
  const { type, isNew } = editor;
  const { state, phase, conflicts } = snapshot;
  const isPublishing = useRef(false);
  const isGone = phase === 'missing';
  const mayWrite = !isGone && (isNew ? 'create' : 'update') in type.verbs;
  const isStored = isStoredIn(state, editor.place.locale);
  // A publication of what is not stored yet would write it.
  const mayPublish = !isGone && hasDrafts(type) && 'live' in type.verbs && (mayWrite || isStored);
  const missing = useMissingStage(editor);
  const canPublish =
    mayPublish &&
    phase === 'ready' &&
    missing === null &&
    conflicts.length === 0 &&
    (isNew || snapshot.isChanged || (isStored && state?.status !== 'published'));
  const bar = useRef<HTMLDivElement>(null);
  const publish = async (): Promise<void> => {
    if (isPublishing.current) return;
    isPublishing.current = true;
    try {
      if (await editor.act('publish')) say(texts.publishedNow);
      else focusProblem(bar.current);
    } finally {
      isPublishing.current = false;
    }
  };
  const startPublishing = (): void => {
    if (gapsOf(editor).length > 0) setAsked('publish');
    else void publish();
  };
  const save = (): void => void editor.save().then((isDone) => isDone || focusProblem(bar.current));
  const keys = {
    'mod+S': () => ifOnTop(save),
    'mod+shift+P': () => ifOnTop(() => canPublish && startPublishing()),
  };
  usePageKeys(keys, true);
  if (phase === 'loading') return <div className="desk-savebar desk-savebar-empty" />;
  if (phase === 'failed' || (isGone && !snapshot.isChanged)) return null;
  return (
    <div className="desk-savebar" ref={bar}>
      <Group
        py="xs"
        gap="sm"
        justify="space-between"
        wrap="nowrap"
        maw={width}
        mx="auto"
        className="desk-savebar-row"
      >
        <Group gap="sm" wrap="nowrap" className="desk-savebar-facts">
          {hasDrafts(type) && isStored && state !== null && <StatusBadge status={state.status} />}
          <Stage editor={editor} at="bar" />
          <Progress editor={editor} />
        </Group>
        <Group gap="xs" wrap="nowrap">
          {mayWrite && (
            <SteadyButton
              variant={mayPublish ? 'default' : 'filled'}
              size="sm"
              className={mayPublish ? 'desk-save' : undefined}
              isUnavailable={!snapshot.isChanged && !isNew}
              act={save}
            >
              <IconDeviceFloppy size={18} className="desk-save-icon" aria-hidden />
              <span className="desk-save-label">{texts.save}</span>
            </SteadyButton>
          )}
          {mayPublish && (
            <SteadyButton
              size="sm"
              isUnavailable={!canPublish}
              title={missing ?? undefined}
              act={startPublishing}
            >
              {texts.publish}
            </SteadyButton>
          )}
          <MoreActions {...{ editor, create }} ask={setAsked} open={setPanel} />
        </Group>
      </Group>
      {asked !== null && (
        <Question {...{ editor, asked, publish }} deleted={leave} close={() => setAsked(null)} />
      )}
      <Panel {...{ editor, panel }} close={() => setPanel(null)} />
    </div>
  );
}

interface MoreProps {
  readonly editor: DocumentEditor;
  readonly create: (() => void) | undefined;
  readonly ask: (asked: Asked) => void;
  readonly open: (panel: PanelName) => void;
}

const EVERYWHERE: readonly Everywhere[] = ['publish', 'unpublish'];

/** Menu of what is not done every day. */
function MoreActions({ editor, create, ask, open }: MoreProps) {
  const texts = useTexts();
  const snapshot = useSnapshot(editor);
  const { type, isNew } = editor;
  const { state, phase } = snapshot;
  const isGone = phase === 'missing';
  const isStored = isStoredIn(state, editor.place.locale);
  const isLive = isStored && state?.status !== 'draft';
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" aria-label={texts.moreActions}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item disabled={!snapshot.isChanged} onClick={() => void editor.revert()}>
          {texts.revert}
        </Menu.Item>
        {create !== undefined && 'create' in type.verbs && !isNew && !isGone && (
          <Menu.Item onClick={() => duplicate(editor, create)}>{texts.duplicate}</Menu.Item>
        )}
        {EVERYWHERE.filter((action) => localesFor(editor, action).length > 1).map((action) => (
          <Menu.Item key={action} onClick={() => open(action)}>
            {action === 'publish' ? texts.panels.publishAll : texts.panels.unpublishAll}
          </Menu.Item>
        ))}
        {'schedule' in type.verbs && isStored && (
          <Menu.Item onClick={() => open('schedule')}>{texts.panels.schedule}</Menu.Item>
        )}
        {type.kind === 'collectionType' && !isNew && !isGone && (
          <Menu.Item onClick={() => open('uses')}>{texts.panels.uses}</Menu.Item>
        )}
        {mayRelease(type, editor.model) && !isNew && !isGone && (
          <Menu.Item onClick={() => open('release')}>{texts.releases.add}</Menu.Item>
        )}
        {isLive && 'unpublish' in type.verbs && (
          <Menu.Item onClick={() => ask('unpublish')}>{texts.unpublish}</Menu.Item>
        )}
        {isStored && state?.status === 'modified' && 'discard' in type.verbs && (
          <Menu.Item onClick={() => ask('discard')}>{texts.discard}</Menu.Item>
        )}
        {'delete' in type.verbs && !isNew && !isGone && (
          <Menu.Item color="red" onClick={() => ask('delete')}>
            {texts.delete}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Opens a copy. If the editor stays, a later new document must not have its values. */
function duplicate({ store, type }: DocumentEditor, create: () => void): void {
  leaving.ask(() => {
    offerCopy(store.values, type);
    create();
  });
}

interface PanelProps {
  readonly editor: DocumentEditor;
  readonly panel: PanelName | null;
  readonly close: () => void;
}

function Panel({ editor, panel, close }: PanelProps) {
  const { type, place } = editor;
  if (panel === 'schedule') return <ScheduleDialog editor={editor} close={close} />;
  if (panel === 'uses') return <UsesDialog editor={editor} close={close} />;
  if (panel === null) return null;
  if (panel === 'publish' || panel === 'unpublish')
    return <EverywhereDialog editor={editor} action={panel} close={close} />;
  return (
    <Opening>
      <AddDialog type={type} documentIds={[place.documentId]} locale={place.locale} close={close} />
    </Opening>
  );
}

const PROBLEM = '[data-conflict] button, [aria-invalid=true], [data-problem]';

/** Frames in which entries of components open, level by level. */
const MAX_FRAMES = 10;

/**
 * Moves to the first decision in the form of a bar, or to the first field that the server has refused, once
 * that is marked.
 */
function focusProblem(bar: HTMLElement | null, frames = MAX_FRAMES): void {
  const form = bar?.closest('[role=dialog]') ?? document.querySelector('.desk-document');
  // An editor who presses the keys in a marked field is at work on it.
  if (document.activeElement?.matches(PROBLEM) === true) return;
  const problem = form?.querySelector<HTMLElement>(PROBLEM) ?? null;
  const field =
    problem?.matches('[data-problem]') === true ? problem.closest<HTMLElement>('[data-path]') : null;
  if (field?.contains(document.activeElement) === true) return;
  if (field !== null) focusIn(field);
  else if (problem !== null) problem.focus();
  else if (frames > 0) requestAnimationFrame(() => focusProblem(bar, frames - 1));
}

function textOf(snapshot: Snapshot, texts: Texts, time: (at: Date) => string): string {
  const { saving, error, isChanged, savedAt, conflicts, refusedAction, phase, isElsewhere } = snapshot;
  if (saving === 'saving') return texts.saving;
  if (saving === 'offline') return texts.offline;
  if (phase === 'missing') return isElsewhere ? texts.goneLanguage : texts.gone;
  if (conflicts.length > 0) return texts.undecided;
  if (saving === 'refused' && error === null)
    return refusedAction === 'publish' ? texts.notPublished : texts.refused;
  if (saving === 'refused') {
    const reason = reasonText(error ?? '', texts);
    return refusedAction === null ? texts.refusedBecause(reason) : texts.notDone[refusedAction](reason);
  }
  if (isChanged) return texts.unsaved;
  return savedAt === null ? '' : texts.saved(time(new Date(savedAt)));
}

function Progress({ editor }: { readonly editor: DocumentEditor }) {
  const texts = useTexts();
  const { time } = useFormats();
  const snapshot = useSnapshot(editor);
  const stage = useStageProblem(editor);
  const isAlarming = snapshot.saving === 'offline' || snapshot.saving === 'refused';
  // The result is announced, once: not each step to it, and not what an alert says.
  const isOnTheWay = !isAlarming && (snapshot.saving === 'saving' || snapshot.isChanged);
  const isSilent = isOnTheWay || snapshot.conflicts.length > 0;
  return (
    <Text
      size="sm"
      role="status"
      aria-live={isSilent ? 'off' : 'polite'}
      className={isAlarming ? 'desk-problem' : 'desk-progress'}
      c={isAlarming ? 'var(--desk-alarm)' : 'dimmed'}
      fw={isAlarming ? 600 : 400}
    >
      {stage !== null && snapshot.saving === 'refused'
        ? texts.refusedBecause(stage)
        : textOf(snapshot, texts, time)}
    </Text>
  );
}
