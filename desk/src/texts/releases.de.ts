import type { releases as english } from './releases.en.ts';

const documents = (count: number): string => (count === 1 ? '1 Dokument' : `${count} Dokumente`);

/** German texts of releases. */
export const releases: typeof english = {
  title: 'Freigaben',
  hint: 'Eine Freigabe veröffentlicht ihre Dokumente gemeinsam oder zieht sie zurück: alle oder keines.',
  create: 'Freigabe anlegen',
  none: 'Noch keine Freigaben.',
  noneHint:
    'Legen Sie eine an, fügen Sie Dokumente hinzu, und geben Sie sie gemeinsam frei, sofort oder zu einer Zeit.',
  planned: 'Geplant',
  past: 'Freigegeben',
  name: 'Name',
  state: 'Zustand',
  states: { open: 'Offen', scheduled: 'Geplant', failed: 'Fehlgeschlagen', released: 'Freigegeben' },
  when: 'Wann',
  at: 'Freigeben am',
  atHint: 'Leer lassen, um von Hand freizugeben.',
  size: 'Dokumente',
  notYet: 'Keine Zeit gesetzt',
  releasesAt: (time) => `Wird am ${time} freigegeben`,
  releasedAt: (time) => `Am ${time} freigegeben. Um etwas zu ändern, machen Sie sie zuerst rückgängig.`,
  failedAt: (time) =>
    `Die Freigabe ist am ${time} fehlgeschlagen, und nichts wurde veröffentlicht. ` +
    'Prüfen und beheben Sie den Fehler, und setzen Sie eine neue Zeit.',
  change: 'Name und Zeit',
  check: 'Prüfen',
  checking: 'Wird geprüft',
  publish: 'Jetzt freigeben',
  publishTitle: (name) => `„${name}“ jetzt freigeben?`,
  publishHint: (count) =>
    count === 1
      ? '1 Dokument wird veröffentlicht oder zurückgezogen.'
      : `${count} Dokumente werden gemeinsam veröffentlicht oder zurückgezogen.`,
  done: (name) => `„${name}“ ist freigegeben`,
  checked: (count) =>
    count === 1
      ? 'Das Dokument kann freigegeben werden.'
      : `Alle ${count} Dokumente können freigegeben werden.`,
  problems: (count) =>
    count === 1
      ? '1 Dokument kann nicht freigegeben werden. Bis das behoben ist, wird nichts veröffentlicht.'
      : `${count} Dokumente können nicht freigegeben werden. Bis das behoben ist, wird nichts veröffentlicht.`,
  hidden: (count) => `und ${documents(count)}, die Sie nicht sehen`,
  hiddenProblems: (count) =>
    count === 1
      ? '1 Dokument, das Sie nicht sehen, kann nicht freigegeben werden.'
      : `${count} Dokumente, die Sie nicht sehen, können nicht freigegeben werden.`,
  outcomes: { changes: 'Bereit', unchanged: 'Nichts zu tun' },
  failedHere: 'Hier ist die Freigabe fehlgeschlagen.',
  document: 'Dokument',
  action: 'Aktion',
  actions: { publish: 'Veröffentlichen', unpublish: 'Zurückziehen' },
  everyLocale: 'Alle Sprachen',
  gone: 'Gelöschtes Dokument',
  unknownType: (name) => `Unbekannter Typ ${name}`,
  removeOne: (title) => `${title} aus der Freigabe entfernen`,
  empty: 'Die Freigabe hat noch keine Dokumente.',
  emptyHint:
    'Öffnen Sie ein Dokument, oder markieren Sie mehrere in einer Liste, ' +
    'und wählen Sie „Zu einer Freigabe hinzufügen“.',
  add: 'Zu einer Freigabe hinzufügen',
  addTo: 'Zu dieser Freigabe hinzufügen',
  addToNew: 'Anlegen und hinzufügen',
  addHints: {
    publish: 'Jetzt wird nichts veröffentlicht. Die Freigabe veröffentlicht den Entwurf, wie er dann ist.',
    unpublish: 'Jetzt ändert sich nichts. Die Freigabe zieht die veröffentlichte Fassung zurück.',
  },
  addMany: (count) => `${documents(count)} zu einer Freigabe hinzufügen`,
  release: 'Freigabe',
  newOne: 'Neue Freigabe …',
  addsToFirst: (count) => `Zur Wahl stehen die ersten ${count} geplanten Freigaben.`,
  added: (name) => `Zu „${name}“ hinzugefügt`,
  deleteTitle: (name) => `„${name}“ löschen?`,
  deleteHint: 'Ihre Dokumente bleiben, wie sie sind.',
  final: 'Die Freigabe ist erfolgt. Um etwas zu ändern, machen Sie sie zuerst rückgängig.',
  isOpen: 'Die Freigabe ist offen: Es gibt nichts rückgängig zu machen.',
  undo: {
    label: 'Freigabe rückgängig machen',
    title: (name) => `„${name}“ rückgängig machen?`,
    hint:
      'Was vor der Freigabe veröffentlicht war, wird wieder veröffentlicht, alles andere zurückgezogen. ' +
      'Entwürfe bleiben, wie sie sind, und die Freigabe ist wieder offen.',
    ready: (count) =>
      count === 1
        ? '1 Dokument kann zurückgesetzt werden.'
        : `${count} Dokumente können zurückgesetzt werden.`,
    unchanged: (count) =>
      count === 1
        ? '1 Dokument bleibt, wie es veröffentlicht ist.'
        : `${count} Dokumente bleiben, wie sie veröffentlicht sind.`,
    refused: (count) =>
      count === 1
        ? '1 Dokument kann nicht zurückgesetzt werden, deshalb auch kein anderes.'
        : `${count} Dokumente können nicht zurückgesetzt werden, deshalb auch keine anderen.`,
    hidden: (count) =>
      count === 1
        ? '1 Dokument, das Sie nicht sehen, kann nicht zurückgesetzt werden.'
        : `${count} Dokumente, die Sie nicht sehen, können nicht zurückgesetzt werden.`,
    done: (name) => `„${name}“ ist rückgängig gemacht`,
    changed: 'Es wurde seit der Freigabe erneut veröffentlicht oder geändert.',
    deleted: 'Es wurde seit der Freigabe gelöscht.',
    unknown: 'Die Fassung von vor der Freigabe ist nicht mehr gespeichert.',
    noHistory: 'Eine Fassung von vor der Freigabe ist nicht gespeichert: Dieser Typ hat keinen Verlauf.',
  },
};
