import type { webhooks as english } from './webhooks.en.ts';

/** German texts of the webhooks screen. */
export const webhooks: typeof english = {
  title: 'Webhooks',
  operation: 'Betrieb',
  none: 'Noch keine Webhooks.',
  create: 'Webhook anlegen',
  change: (name) => `${name} ändern`,
  name: 'Name',
  address: 'Adresse',
  addressHint: 'Bekommt für jedes Ereignis eine POST-Anfrage.',
  events: 'Ereignisse',
  names: {
    'entry.create': 'Eintrag angelegt',
    'entry.update': 'Eintrag geändert',
    'entry.delete': 'Eintrag gelöscht',
    'entry.publish': 'Eintrag veröffentlicht',
    'entry.unpublish': 'Eintrag zurückgezogen',
    'entry.draft-discard': 'Entwurf verworfen',
    'media.create': 'Datei hochgeladen',
    'media.update': 'Datei geändert',
    'media.delete': 'Datei gelöscht',
  },
  types: 'Inhaltstypen',
  all: 'Alle',
  enabled: 'Sendet Ereignisse',
  state: 'Zustand',
  states: { on: 'An', off: 'Aus', failing: 'Schlägt fehl', disabled: 'Abgeschaltet' },
  inCode: 'Im Code: Er lässt sich hier lesen und nur im Code ändern.',
  disabledBecause: (reason) => `Abgeschaltet: ${reason}`,
  failingSince: (time) =>
    `Schlägt fehl seit ${time}. Der Empfänger hat die Ereignisse unten abgelehnt. Sie werden von selbst erneut gesendet.`,
  lag: 'Noch zu senden',
  pending: 'Wartet auf einen weiteren Versuch',
  failed: 'Aufgegeben',
  attempts: 'Versuche',
  noAttempts: 'Noch keine Versuche.',
  event: 'Ereignis',
  at: 'Zeit',
  answer: 'Antwort',
  duration: 'Dauer',
  milliseconds: (count) => `${count} ms`,
  test: 'Testereignis senden',
  tested: (status) => `Die Adresse antwortete mit ${status}`,
  unreachable: 'keiner Antwort',
  replayFailed: 'Aufgegebenes noch einmal senden',
  replaySince: 'Noch einmal senden seit …',
  since: 'Seit',
  replay: 'Noch einmal senden',
  replayOne: (event) => `${event} noch einmal senden`,
  replayed: (count) => {
    if (count === 0) return 'Nichts ist noch einmal zu senden';
    return count === 1
      ? '1 Ereignis wird noch einmal gesendet'
      : `${count} Ereignisse werden noch einmal gesendet`;
  },
  enable: 'Fortsetzen',
  rotate: 'Neuer Schlüssel',
  rotateTitle: (name) => `${name} einen neuen Schlüssel geben?`,
  rotateHint:
    'Der alte Schlüssel unterschreibt noch 24 Stunden, damit Sie ihn beim Empfänger tauschen können.',
  secret: 'Schlüssel',
  secretOf: (name) => `Schlüssel von ${name}`,
  secretHint: 'Kopieren Sie den Schlüssel jetzt. Er wird nicht noch einmal gezeigt.',
  deleteTitle: (name) => `${name} löschen?`,
  deleteHint: 'Ihm werden keine Ereignisse mehr gesendet. Das lässt sich nicht rückgängig machen.',
};
