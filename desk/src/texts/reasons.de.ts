import type { reasons as english } from './reasons.en.ts';

/** German texts for messages of the server. */
export const reasons: typeof english = {
  credentials: 'Die E-Mail, der Benutzername oder das Passwort ist falsch.',
  code: 'Dieser Link wurde schon benutzt oder ist zu alt. Bitten Sie um einen neuen.',
  password: 'Das jetzige Passwort ist falsch.',
  samePassword: 'Das neue Passwort muss ein anderes sein.',
  repetition: 'Die beiden Passwörter sind nicht gleich.',
  often: 'Das waren zu viele Versuche. Warten Sie eine Minute, und versuchen Sie es erneut.',
  forbidden: 'Dazu haben Sie nicht das Recht.',
  unreachable: 'Der Server ist nicht erreichbar.',
  unavailable: 'Der Server ist ausgelastet oder wird gewartet. Versuchen Sie es in einer Minute erneut.',
  tooLarge:
    'Das ist mehr, als der Server auf einmal annimmt. Kürzen Sie es, oder fragen Sie die Administration.',
  gone: 'Es existiert nicht mehr.',
  serverFailed: 'Der Server hat einen Fehler. Fragen Sie die Administration.',
  overtaken: 'Jemand anderes hat es inzwischen geändert.',
  noDesk: 'Die Rolle dieses Kontos darf die Redaktion nicht öffnen. Wählen Sie eine andere Rolle.',
  taken: 'Dieser Wert ist schon vergeben. Wählen Sie einen anderen.',
  nameTaken: 'Ein anderes Konto hat diesen Namen schon.',
  emailTaken: 'Ein anderes Konto hat diese E-Mail-Adresse schon.',
  blocked: 'Dieses Konto ist gesperrt. Fragen Sie die Administration.',
  unconfirmed:
    'Die E-Mail-Adresse dieses Kontos ist nicht bestätigt. Öffnen Sie den Link in der E-Mail, die Sie erhalten haben.',
  overreach: 'Damit wäre mehr erlaubt als Ihnen. Wählen Sie weniger Berechtigungen.',
  webAddress:
    'Das ist keine Adresse, die mit http:// oder https:// beginnt. Sie darf kein Passwort enthalten.',
  noPicture: 'Die Datei ist kein Bild oder beschädigt.',
  range: (lowest, highest) => `Von ${lowest} bis ${highest}`,
  email: 'Das ist keine E-Mail-Adresse.',
  takenTogether: 'Ein anderes Dokument hat dieselben Werte schon.',
  noLink:
    'Ein verknüpftes Dokument wurde gelöscht oder existiert in dieser Sprache nicht. Entfernen Sie den Link.',
  tooManyBytes: (count) => `Höchstens ${count} Zeichen. Umlaute und andere Sonderzeichen zählen mehrfach.`,
  tooFew: (count) => (count === 1 ? 'Mindestens 1 Eintrag' : `Mindestens ${count} Einträge`),
  tooMany: (count) => (count === 1 ? 'Höchstens 1 Eintrag' : `Höchstens ${count} Einträge`),
  badLink:
    'Der Text hat einen Link, dessen Adresse nicht gültig ist. Berichtigen oder entfernen Sie den Link.',
  foreignBlock:
    'Der Text hat einen Block eines anderen Programms. Löschen Sie ihn, um den Text zu speichern.',
  fileTooLarge: 'Die Datei ist größer, als der Server annimmt.',
  uploading: 'Eine Datei ist noch nicht angekommen. Veröffentlichen Sie, wenn sie da ist.',
  fileEmpty: 'Die Datei ist leer.',
  fileType: 'Der Server nimmt keine Dateien dieses Typs an.',
  fileContent: 'Der Inhalt der Datei hat einen anderen Typ, als ihr Name sagt.',
  fileKind: 'Sie ist von anderer Art, die ein Feld mit der Datei nicht annimmt.',
  fileKinds: (kinds) => `Dieses Feld nimmt nur Dateien dieser Art an: ${kinds}.`,
  choice: 'Das ist keiner der Werte, die zur Wahl stehen.',
  tooLongToCompare:
    'Der Text ist zu lang für einen Wert, den kein anderes Dokument haben darf. Kürzen Sie ihn.',
  hidden: 'Das Dokument hat Fehler in Feldern, die Sie nicht sehen. Fragen Sie die Administration.',
  other: (message) => `Der Server meldet: ${message}`,
};
