import { randomBytes } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mail, MailSender } from 'nestjs-content-api/accounts';

/**
 * Writes each mail to a text file, so that the atlas needs no mail server. A code in a mail works like a
 * password, so only the operating system user who runs the atlas can read the files.
 */
export class FileMail implements MailSender {
  constructor(
    private readonly folder: string,
    private readonly log: (line: string) => void,
  ) {}

  async send({ to, subject, text }: Mail): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const name = fileName(new Date());
    const [hidden, file] = [join(this.folder, `.${name}`), join(this.folder, name)];
    // The rename is atomic, so a reader never finds an incomplete mail.
    await writeFile(hidden, `To: ${to}\nSubject: ${subject}\n\n${text}\n`, { flag: 'wx', mode: 0o600 });
    await rename(hidden, file);
    this.log(`Mail: ${file}`);
  }
}

/** Names sort by time. Some file systems refuse colons. */
const fileName = (now: Date): string =>
  `${now.toISOString().replaceAll(':', '-')}-${randomBytes(4).toString('hex')}.txt`;
