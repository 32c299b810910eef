/** Command `user`: accounts of users. */
import { parseArgs } from 'node:util';
import { NewUsers } from '../features/accounts/new-users.js';
import { serviceOf, type Surroundings, UsageError, withApplication } from './command.js';
import type { Terminal } from './terminal.js';

export const USER_USAGE = `user create --module <module> [--email <e-mail>] [--name <name>] [--role <role>]
      Creates a user who can sign in at once. Asks for the values that you do not give, and for the password.
      Without a terminal, it reads the password from the standard input. Applications may run.`;

const DEFAULT_ROLE = 'authenticated';

interface UserArguments {
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly role?: string | undefined;
}

/** Asks for the missing values. Without a user who can answer, name and role have defaults. */
async function askForMissing(
  given: UserArguments,
  roles: readonly string[],
  terminal: Terminal,
): Promise<Required<UserArguments>> {
  const ask = async (question: string, fallback: string): Promise<string> =>
    terminal.isInteractive
      ? (await terminal.ask(`${question}${fallback === '' ? '' : ` [${fallback}]`}: `)).trim() || fallback
      : fallback;
  const email = given.email ?? (await ask('E-mail', ''));
  if (email === '') throw new UsageError('user create needs --email');
  const name = given.name ?? (await ask('Name', email.split('@', 1)[0] ?? ''));
  const role = given.role ?? (await ask(`Role (${roles.join(', ')})`, DEFAULT_ROLE));
  return { email, name, role };
}

/** Creates a user. Throws an Error whose message is for the user. */
export async function runUser(args: readonly string[], { terminal }: Surroundings): Promise<string> {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { module: text, email: text, name: text, role: text },
  });
  if (positionals.join(' ') !== 'create' || terminal === undefined)
    throw new UsageError(`Usage: nestjs-content-api ${USER_USAGE}`);
  return withApplication(values.module, async (app) => {
    const users = serviceOf(app, NewUsers, 'UsersModule');
    const { email, name, role } = await askForMissing(values, await users.roleNames(), terminal);
    const password = await terminal.ask('Password: ', true);
    await users.create({ username: name, email, password, role });
    return `User "${name}" (${email}) has the role "${role}" and can sign in.`;
  });
}
