import type { panels as english } from './panels.en.ts';

/** German texts of the panels beside a form. */
export const panels: typeof english = {
  preview: 'Vorschau',
  closePreview: 'Vorschau schließen',
  width: 'Breite',
  widths: { phone: 'Telefon', tablet: 'Tablet', desktop: 'Bildschirm' },
  newTab: 'In neuem Tab öffnen',
  page: (title) => `Vorschau von ${title}`,
  noPreview: 'Eine Vorschau gibt es erst, wenn das Dokument gespeichert ist.',
  previewFailed: (reason) => `Die Vorschau kann nicht gezeigt werden: ${reason}`,
  notFramed: 'Diese Seite kann hier nicht gezeigt werden. Öffnen Sie sie in einem neuen Tab.',
  compare: 'Zweite Sprache',
  compareHint: 'Eine andere Sprache neben dieser',
  none: 'Keine andere Sprache',
  missingIn: (locale) => `Es gibt keine Fassung in ${locale}.`,
  shared: 'Gilt für alle Sprachen',
  uses: 'Wo es verwendet wird',
  usesAtLeast: (count) => `Verwendet von ${count} oder mehr Dokumenten`,
  noUses: 'Kein Dokument, das Sie sehen dürfen, verweist auf dieses.',
  usesHint:
    'Durchsucht: Beziehungen, Komponenten, Zonen und formatierte Texte. Nicht durchsucht: einfache Texte, JSON, und was Sie nicht sehen dürfen.',
  usesPartly: (types) =>
    `In Zonen und in Beziehungen zu mehreren Typen wurden nur die 100 zuletzt geänderten Fassungen durchsucht: ${types}.`,
  copyFrom: (field, locale) => `${field} aus ${locale} übernehmen`,
  copyEmpty: (locale) => `Leere Felder aus ${locale} übernehmen`,
  copied: (count) => (count === 1 ? '1 Feld übernommen' : `${count} Felder übernommen`),
  edit: (locale) => `${locale} bearbeiten`,
  fallback: (locale) => `Gezeigt in ${locale}, weil diese Sprache fehlt`,
  present: 'Andere Bearbeiter dieses Dokuments',
  alsoHere: (name) => `${name} hat dies auch geöffnet`,
  stage: 'Stufe',
  stageMoved: (stage) => `Jetzt in ${stage}`,
  stageEnded: (stage) => `Der Text wurde geändert und muss erneut geprüft werden. Er ist wieder in ${stage}`,
  stageFirst: (stages) => `Nur Entwürfe in ${stages} können veröffentlicht werden`,
  stageUnreachable: 'Von der jetzigen Stufe führt kein Weg zu dieser.',
  schedule: 'Zeitplan',
  scheduleHint:
    'Veröffentlicht wird der Entwurf, wie er dann ist. Lassen Sie eine Zeit leer, um sie aufzuheben.',
  publishAt: 'Veröffentlichen am',
  unpublishAt: 'Zurückziehen am',
  scheduleSave: 'Zeiten speichern',
  scheduled: 'Die Zeiten sind gespeichert',
  publishesAt: (time) => `Wird veröffentlicht: ${time}`,
  unpublishesAt: (time) => `Wird zurückgezogen: ${time}`,
  scheduleFailed:
    'Eine geplante Veröffentlichung ist gescheitert. Veröffentlichen Sie von Hand, um den Grund zu sehen.',
};
