/** Database with the roles of `sample-app/deploy/roles.sql`, under names that no other suite uses. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { createDatabase } from '../support/database.ts';
import { deployed } from './programs.ts';

const ROLES = ['content_migrator', 'content_app', 'content_backup'] as const;
export type Role = (typeof ROLES)[number];

export interface RoleDatabase {
  /** URL for a role. */
  urlOf(role: Role): string;
  /** Names of the roles in this database. */
  nameOf(role: Role): string;
  /** URL of the superuser. */
  readonly url: string;
  drop(): Promise<void>;
}

export const PASSWORD = 'a-password-of-a-test';

export async function onDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export async function createWithRoles(serverUrl?: string): Promise<RoleDatabase> {
  const database = await createDatabase(serverUrl);
  const prefix = `content_${randomBytes(4).toString('hex')}_`;
  const nameOf = (role: Role): string => role.replace('content_', prefix);
  await onDatabase(database.url, async (client) => {
    await client.query(deployed('roles.sql').replaceAll('content_', prefix));
    for (const role of ROLES) await client.query(`alter role ${nameOf(role)} password '${PASSWORD}'`);
  });
  return {
    url: database.url,
    nameOf,
    urlOf: (role) => {
      const url = new URL(database.url);
      url.username = nameOf(role);
      url.password = PASSWORD;
      return url.href;
    },
    drop: async () => {
      await onDatabase(database.url, async (client) => {
        for (const role of ROLES) await client.query(`drop owned by ${nameOf(role)} cascade`);
        for (const role of ROLES) await client.query(`drop role ${nameOf(role)}`);
      });
      await database.drop();
    },
  };
}
