/** One release: its time, its documents, and what is wrong with them. */
import { Alert, Button, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { useChanges } from '../../parts/changes.ts';
import { Dialog, DialogButtons } from '../../parts/dialog.tsx';
import { type Question, QuestionDialog } from '../../parts/form-dialog.tsx';
import { Frame } from '../../parts/frame.tsx';
import { say, useAnnouncement } from '../../parts/messages.tsx';
import { useShown } from '../../parts/shown.ts';
import { isolated } from '../../texts/isolated.ts';
import { useFormats, useTexts } from '../../texts/texts.ts';
import { Entries } from './entries.tsx';
import { ReleaseForm } from './release-form.tsx';
import {
  changeRelease,
  checkRelease,
  deleteRelease,
  publishRelease,
  type Report,
  useRelease,
  type WholeRelease,
} from './requests.ts';
import { ReleaseBadge } from './state-badge.tsx';
import { UndoDialog } from './undo-dialog.tsx';

export function ReleaseScreen({ id }: { readonly id: string }) {
  const { releases: texts } = useTexts();
  const { data, error, isLoading, refetch } = useRelease(id);
  return (
    <Frame
      title={data === undefined ? texts.release : isolated(data.name)}
      way={[{ href: '/releases', label: texts.title }]}
      isLoading={isLoading}
      error={error}
      retry={() => void refetch()}
    >
      {data !== undefined && <Body release={data} />}
    </Frame>
  );
}

function Body({ release }: { readonly release: WholeRelease }) {
  const [report, setReport] = useState<Report | null>(null);
  const { updatedAt, entries } = release;
  useEffect(() => setReport(null), [updatedAt]);
  return (
    <>
      <State release={release} />
      {release.state === 'released' ? (
        <Undo release={release} />
      ) : (
        <Actions release={release} checked={setReport} />
      )}
      {report !== null && <Summary report={report} />}
      {release.size === 0 ? <Empty /> : <Entries {...{ release, report }} />}
      {release.hidden > 0 && <Hidden count={release.hidden} isAlone={entries.length === 0} />}
    </>
  );
}

function State({ release: { state, at, releasedAt, failedAt } }: { readonly release: WholeRelease }) {
  const { releases: texts } = useTexts();
  const { dateTime } = useFormats();
  const time = (text: string | null): string => (text === null ? '' : dateTime(new Date(text)));
  const sentences = {
    open: texts.notYet,
    scheduled: texts.releasesAt(time(at)),
    failed: '',
    released: texts.releasedAt(time(releasedAt)),
  };
  return (
    <>
      <Group gap="sm">
        <ReleaseBadge state={state} />
        <Text size="sm">{sentences[state]}</Text>
      </Group>
      {state === 'failed' && (
        <Alert color="red" role="alert">
          {texts.failedAt(time(failedAt))}
        </Alert>
      )}
    </>
  );
}

function Undo({ release }: { readonly release: WholeRelease }) {
  const { undo } = useTexts().releases;
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <Group>
        <Button size="xs" variant="default" onClick={() => setAsked(true)}>
          {undo.label}
        </Button>
      </Group>
      {isAsked && <UndoDialog release={release} close={() => setAsked(false)} />}
    </>
  );
}

function Empty() {
  const { releases: texts } = useTexts();
  return (
    <div>
      <Text>{texts.empty}</Text>
      <Text size="sm" c="dimmed">
        {texts.emptyHint}
      </Text>
    </div>
  );
}

function Hidden({ count, isAlone }: { readonly count: number; readonly isAlone: boolean }) {
  const { releases: texts } = useTexts();
  const text = texts.hidden(count);
  return (
    <Text size="sm" c="dimmed">
      {isAlone ? text : `… ${text}`}
    </Text>
  );
}

/** Number of visible entries that cannot be released. */
const refusedIn = ({ entries }: Report): number =>
  entries.filter(({ outcome }) => outcome === 'refused').length;

function Summary({ report }: { readonly report: Report }) {
  const { releases: texts } = useTexts();
  const { entries, hidden } = report;
  const refused = refusedIn(report);
  const isFine = refused + hidden.refused === 0;
  const lines = [
    ...(isFine ? [texts.checked(entries.length + hidden.count)] : []),
    ...(refused > 0 ? [texts.problems(refused)] : []),
    ...(hidden.refused > 0 ? [texts.hiddenProblems(hidden.refused)] : []),
  ];
  useAnnouncement(lines.join(' '));
  return (
    <Alert color={isFine ? 'green' : 'orange'} role="group">
      {lines.map((line) => (
        <Text key={line} size="sm">
          {line}
        </Text>
      ))}
    </Alert>
  );
}

interface ActionsProps {
  readonly release: WholeRelease;
  readonly checked: (report: Report) => void;
}

function Actions({ release, checked }: ActionsProps) {
  const { delete: remove, deletedNow, releases: texts } = useTexts();
  const [, navigate] = useLocation();
  const { send, alert, isSending } = useChanges();
  const [asked, setAsked] = useState<'publish' | 'change' | null>(null);
  const [question, setQuestion] = useState<Question | null>(null);
  const isShown = useShown();
  const { id, name, size } = release;
  return (
    <>
      {alert}
      <Group gap="xs">
        <Button size="xs" disabled={size === 0} onClick={() => setAsked('publish')}>
          {texts.publish}
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={size === 0}
          loading={isSending}
          onClick={() => void send(async () => checked(await checkRelease(id)))}
        >
          {texts.check}
        </Button>
        <Button size="xs" variant="default" onClick={() => setAsked('change')}>
          {texts.change}
        </Button>
        <Button
          size="xs"
          variant="default"
          c="red"
          onClick={() =>
            setQuestion({
              title: texts.deleteTitle(name),
              hint: texts.deleteHint,
              label: remove,
              done: deletedNow,
              work: () => deleteRelease(id).then(() => void (isShown.current && navigate('/releases'))),
            })
          }
        >
          {remove}
        </Button>
      </Group>
      {asked === 'publish' && <PublishDialog {...{ release, checked }} close={() => setAsked(null)} />}
      {asked === 'change' && (
        <ReleaseForm
          title={texts.change}
          release={release}
          close={() => setAsked(null)}
          submit={(input) => changeRelease(id, input)}
        />
      )}
      {question !== null && <QuestionDialog question={question} close={() => setQuestion(null)} />}
    </>
  );
}

/** Releases after a question. A refusal is shown, with the problems at the documents. */
function PublishDialog({ release, checked, close }: ActionsProps & { readonly close: () => void }) {
  const { releases: texts } = useTexts();
  const client = useQueryClient();
  const { send, alert, isSending, isShown } = useChanges();
  const { id, name, size } = release;
  const publish = async (): Promise<void> => {
    const isDone = await send(async () => {
      try {
        await publishRelease(id);
      } catch (error) {
        const report = await checkRelease(id).catch(() => null);
        if (report !== null) checked(report);
        const isRefused = report !== null && refusedIn(report) + report.hidden.refused > 0;
        if (isRefused && isShown.current) close();
        throw error;
      }
    });
    if (!isDone) return;
    await client.invalidateQueries();
    say(texts.done(name));
    if (isShown.current) close();
  };
  return (
    <Dialog title={texts.publishTitle(isolated(name))} close={close}>
      {alert}
      <Text size="sm">{texts.publishHint(size)}</Text>
      <DialogButtons {...{ close, isSending }} label={texts.publish} act={() => void publish()} />
    </Dialog>
  );
}
