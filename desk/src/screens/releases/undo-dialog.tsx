/** Undo of a release: reports what that would do, then asks. */
import { Alert, List, Loader, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../../api/errors.ts';
import { useChanges } from '../../parts/changes.ts';
import { Dialog, DialogButtons } from '../../parts/dialog.tsx';
import { say } from '../../parts/messages.tsx';
import { failureText } from '../../texts/reasons.ts';
import { useTexts } from '../../texts/texts.ts';
import { useModel } from '../app.tsx';
import { reasonOf } from '../bulk-report.tsx';
import { EntryTitle, titleOf } from './entries.tsx';
import { checkUndo, type Report, undoRelease, type WholeRelease } from './requests.ts';

interface Props {
  readonly release: WholeRelease;
  readonly close: () => void;
}

const isRefused = ({ entries, hidden }: Report): boolean =>
  hidden.refused > 0 || entries.some(({ outcome }) => outcome === 'refused');

export function UndoDialog({ release, close }: Props) {
  const texts = useTexts();
  const { undo } = texts.releases;
  const client = useQueryClient();
  const { send, alert, isSending, isShown } = useChanges();
  const { id, name } = release;
  const {
    data: report,
    error,
    refetch,
  } = useQuery({
    queryKey: ['undo', id],
    queryFn: () => checkUndo(id),
    retry: false,
    gcTime: 0,
  });
  const work = async (): Promise<void> => {
    // A refusal since the check is reported at its document.
    if (!(await send(() => undoRelease(id)))) return void refetch();
    await client.invalidateQueries();
    say(undo.done(name));
    if (isShown.current) close();
  };
  return (
    <Dialog title={undo.title(name)} close={close}>
      {alert}
      <Text size="sm">{undo.hint}</Text>
      {error !== null && (
        <Alert color="red" role="alert">
          {failureText(error, texts)}
        </Alert>
      )}
      {/* The status exists before its text, so that a screen reader announces it. */}
      <div role="status">
        {report === undefined && error === null && <Loader size="sm" aria-label={texts.releases.checking} />}
        {report !== undefined && <Outcome release={release} report={report} />}
      </div>
      <DialogButtons
        {...{ close, isSending }}
        label={undo.label}
        act={() => void work()}
        disabled={report === undefined || isRefused(report)}
      />
    </Dialog>
  );
}

interface OutcomeProps extends Pick<Props, 'release'> {
  readonly report: Report;
}

/** Documents that go back, those that stay, and those that cannot go back. */
function Outcome({ release, report }: OutcomeProps) {
  const { undo } = useTexts().releases;
  const { entries, hidden } = report;
  const count = (outcome: string): number => entries.filter((one) => one.outcome === outcome).length;
  const [refused, unchanged] = [count('refused'), count('unchanged')];
  const ready = count('changes') + hidden.count - hidden.refused;
  if (!isRefused(report))
    return (
      <Alert color="green" role="group">
        {ready > 0 && <Text size="sm">{undo.ready(ready)}</Text>}
        {unchanged > 0 && <Text size="sm">{undo.unchanged(unchanged)}</Text>}
      </Alert>
    );
  return (
    <Alert color="orange" role="group">
      {refused > 0 && <Text size="sm">{undo.refused(refused)}</Text>}
      <Refusals {...{ release, report }} />
      {hidden.refused > 0 && <Text size="sm">{undo.hidden(hidden.refused)}</Text>}
    </Alert>
  );
}

/** Documents that cannot go back, as links, so that the editor can restore a version by hand. */
function Refusals({ release, report }: OutcomeProps) {
  const texts = useTexts();
  const model = useModel();
  return (
    <List size="sm">
      {report.entries.flatMap(({ id, error }) => {
        const entry = release.entries.find((one) => one.id === id);
        if (error === null || entry === undefined) return [];
        const type = model.type(entry.type);
        return [
          <List.Item key={id}>
            <EntryTitle {...{ entry, type }} title={titleOf(entry, texts)} />
            {reasonOf(new ApiError(error.status, error), type, texts)}
          </List.Item>,
        ];
      })}
    </List>
  );
}
