import type { bulk as english } from './bulk.en.ts';

const documents = (count: number): string => (count === 1 ? '1 Dokument' : `${count} Dokumente`);

/** German texts of actions on many documents. */
export const bulk: typeof english = {
  selected: (count) => `${documents(count)} ausgewählt`,
  selectMatching: (count) => `Alle ${count} passenden auswählen`,
  matching: 'Alle passenden Dokumente ausgewählt',
  clear: 'Auswahl aufheben',
  publish: {
    ask: (count) => `${documents(count)} veröffentlichen?`,
    hint: 'Leserinnen und Leser sehen dann die Entwürfe, wie sie jetzt sind.',
    done: (count) => `Veröffentlicht: ${documents(count)}`,
  },
  unpublish: {
    ask: (count) => `${documents(count)} zurückziehen?`,
    hint: 'Leserinnen und Leser sehen sie nicht mehr. Die Entwürfe bleiben.',
    done: (count) => `Zurückgezogen: ${documents(count)}`,
  },
  delete: {
    ask: (count) => `${documents(count)} löschen?`,
    hint: 'Links darauf werden ebenfalls entfernt. Das lässt sich nicht rückgängig machen.',
    toTrash: 'Links darauf werden entfernt. Sie können die Dokumente aus dem Papierkorb wiederherstellen.',
    done: (count) => `Gelöscht: ${documents(count)}`,
  },
  everyLocale: 'Das betrifft alle Sprachen.',
  inLocale: (locale) => `Das betrifft ${locale}.`,
  checking: 'Änderungen anderer werden gesucht',
  changed: 'geändert, seit Sie die Liste geöffnet haben',
  deleted: 'gelöscht, seit Sie die Liste geöffnet haben',
  absent: 'hat keine Fassung in dieser Sprache',
  without: (fields) => `ohne Pflichtfelder: ${fields}`,
  more: (count) => `und ${count} weitere`,
  failed: (count) => `Abgelehnt: ${documents(count)}`,
  conflict: 'Jemand anderes hat es gerade geändert. Öffnen Sie es, um die Änderung zu sehen.',
  lost: 'Der Server hat nicht geantwortet. Die Liste zeigt, was jetzt gespeichert ist.',
  tooMany: 'Das sind zu viele Dokumente für einen Schritt. Grenzen Sie die Liste mit einem Filter ein.',
  nothing: 'In dieser Sprache passt kein Dokument.',
};
