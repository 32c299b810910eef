/** Actions on several documents: those that are selected, or all that match the list. */
import { Button, Group, Text } from '@mantine/core';
import { lazy, useEffect, useState } from 'react';
import { type BulkVerb, mayActOnMany, mayMatch, type Seen, VERBS } from '../editor/bulk.ts';
import { type Json, textOfValue } from '../form/values.ts';
import { type ListState, matchQuery, showsPublished } from '../model/list-query.ts';
import { mayRelease, type Type } from '../model/model.ts';
import { Opening } from '../parts/opening.tsx';
import { useTexts } from '../texts/texts.ts';
import { useModel } from './app.tsx';
import { BulkDialog, type Chosen } from './bulk-dialog.tsx';
import { BulkReport, type BulkResult } from './bulk-report.tsx';

interface Props {
  readonly type: Type;
  readonly state: ListState;
  readonly documents: readonly Json[];
  /** Documents on all pages. */
  readonly total: number;
  /** Titles of the selected documents by their id. */
  readonly selected: ReadonlyMap<string, string>;
  readonly deselect: (documentIds: readonly string[]) => void;
}

/** Documents of a dialog: the address may change under it. */
interface Kept {
  readonly locale: string;
  readonly documentIds: readonly string[];
}

/** Action that a dialog asks about. */
interface Asked extends Kept {
  readonly verb: BulkVerb;
  readonly chosen: Chosen;
}

const AddDialog = lazy(() => import('./releases/add-dialog.tsx'));

function seenIn(documents: readonly Json[], selected: Props['selected']): readonly Seen[] {
  return documents.flatMap(({ documentId, updatedAt }) => {
    const id = String(documentId);
    const title = selected.get(id);
    return title === undefined ? [] : [{ documentId: id, title, updatedAt: textOfValue(updatedAt) }];
  });
}

export function BulkBar({ type, state, documents, total, selected, deselect }: Props) {
  const { bulk, ...texts } = useTexts();
  const model = useModel();
  const { locale } = state;
  const [asked, setAsked] = useState<Asked | null>(null);
  const [added, setAdded] = useState<Kept | null>(null);
  const [hasAll, setAll] = useState(false);
  const [report, setReport] = useState<BulkResult | null>(null);
  const maySelect = VERBS.some((verb) => mayMatch(verb, type, state));
  useEffect(() => setAll(false), [selected]);
  const verbs = VERBS.filter((verb) => (hasAll ? mayMatch(verb, type, state) : verb in type.verbs));
  // A published version has another time than the draft that is written.
  const rows = showsPublished(state, type) ? documents.map(({ documentId }) => ({ documentId })) : documents;
  // A document of the selection may have left the list since, such as one that another editor has deleted.
  const seen = seenIn(rows, selected);
  const isPage = seen.length > 0 && seen.length === documents.length;
  const chosen: Chosen = hasAll
    ? {
        kind: 'matching',
        selection: { type, locale, filters: matchQuery(state, { type, model }) },
      }
    : { kind: 'selected', documents: seen };
  const documentIds = [...selected.keys()];
  const seenIds = seen.map(({ documentId }) => documentId);
  const label = hasAll ? bulk.matching : bulk.selected(seen.length);
  return (
    <>
      {report !== null && <BulkReport {...{ type, report }} close={() => setReport(null)} />}
      {seen.length > 0 && mayActOnMany(type) && (
        <Group gap="sm" role="region" aria-label={label} className="desk-bulk">
          <Text size="sm" fw={600}>
            {label}
          </Text>
          {isPage && !hasAll && total > documents.length && maySelect && (
            <Button size="compact-sm" variant="subtle" onClick={() => setAll(true)}>
              {bulk.selectMatching(total)}
            </Button>
          )}
          {verbs.map((verb) => (
            <Button
              key={verb}
              size="xs"
              variant="default"
              c={verb === 'delete' ? 'red' : undefined}
              onClick={() => setAsked({ verb, chosen, documentIds, locale })}
            >
              {texts[verb]}
            </Button>
          ))}
          {!hasAll && mayRelease(type, model) && (
            <Button size="xs" variant="default" onClick={() => setAdded({ documentIds: seenIds, locale })}>
              {texts.releases.add}
            </Button>
          )}
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            c="inherit"
            onClick={() => deselect(documentIds)}
          >
            {bulk.clear}
          </Button>
        </Group>
      )}
      {added !== null && (
        <Opening>
          <AddDialog type={type} {...added} close={() => setAdded(null)} />
        </Opening>
      )}
      {asked !== null && (
        <BulkDialog
          type={type}
          // Versions that the editor saw: the list may be read again under the dialog.
          {...asked}
          close={() => setAsked(null)}
          done={(next) => {
            setReport({ ...next, locale: asked.locale });
            // The editor may have selected others since.
            deselect(asked.documentIds);
          }}
        />
      )}
    </>
  );
}
