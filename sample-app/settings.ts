import { fileURLToPath } from 'node:url';

/** Default data folder of PGlite, in the package's root, one level above this folder. */
export const DEFAULT_DATA_FOLDER = fileURLToPath(new URL('../.data/atlas', import.meta.url));

export interface Settings {
  /** URL of a PostgreSQL server. Default: PGlite in a local folder. */
  readonly databaseUrl?: string;
  /** Secret that signs user tokens. */
  readonly jwtSecret?: string;
  readonly port: number;
}

const DEFAULT_PORT = 3000;
const MIN_SECRET_BYTES = 32;

/** Reads the settings from environment variables. Empty variables count as unset. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const port = Number(env['PORT'] || DEFAULT_PORT);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`PORT must be a number from 0 to 65535, not "${env['PORT'] ?? ''}".`);
  const databaseUrl = env['DATABASE_URL'];
  if (databaseUrl && !URL.canParse(databaseUrl))
    throw new Error('DATABASE_URL must look like postgresql://user:password@host:5432/database.');
  const jwtSecret = env['JWT_SECRET'];
  if (jwtSecret && Buffer.byteLength(jwtSecret) < MIN_SECRET_BYTES)
    throw new Error(`JWT_SECRET needs at least ${MIN_SECRET_BYTES} bytes. Try: openssl rand -base64 32`);
  return { port, ...(databaseUrl ? { databaseUrl } : {}), ...(jwtSecret ? { jwtSecret } : {}) };
}
