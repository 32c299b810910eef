import { randomBytes } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mail, MailSender } from 'nestjs-content-api/accounts';

/**
 * Writes each mail into a text file, so that the atlas needs no mail server. The codes in them are as good as
 * a password: only the user who runs the atlas can read them.
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
    // Whoever waits for the file finds a whole mail in it.
    await writeFile(hidden, `To: ${to}\nSubject: ${subject}\n\n${text}\n`, { flag: 'wx', mode: 0o600 });
    await rename(hidden, file);
    this.log(`Mail: ${file}`);
  }
}

/** The oldest mail is listed first. Colons are not for file names everywhere. */
const fileName = (now: Date): string =>
  `${now.toISOString().replaceAll(':', '-')}-${randomBytes(4).toString('hex')}.txt`;
