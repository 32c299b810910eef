/** Command `desk`: invitations of editors. */
import { parseArgs } from 'node:util';
import { DeskInvitations } from '../features/desk/desk-invitations.js';
import { serviceOf, UsageError, withApplication } from './command.js';

export const DESK_USAGE = `desk invite <e-mail> --module <module> [--role <role>] [--url <address of the desk>]
      Prints a link that sets the password of an editor, once, within 7 days. Creates the account if there is
      none. Applications may run.`;

/** Invites an editor and returns the link. Throws an Error whose message is for the user. */
export async function runDesk(args: readonly string[]): Promise<string> {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { module: text, role: text, url: text },
  });
  const [name, email, ...others] = positionals;
  if (name !== 'invite' || email === undefined || others.length > 0)
    throw new UsageError(`Usage: nestjs-content-api ${DESK_USAGE}`);
  const { role, url } = values;
  const link = await withApplication(values.module, (app) =>
    serviceOf(app, DeskInvitations, 'DeskModule').invite({
      email,
      ...(role === undefined ? {} : { role }),
      ...(url === undefined ? {} : { url }),
    }),
  );
  return `Invitation for ${email}. The link works once, for 7 days:\n${link}`;
}
