import {
  type AuthStrategy,
  type Caller,
  type Credentials,
  type Grants,
  Permissions,
} from 'nestjs-content-api';

/** Accepts the name of a caller as its bearer token. */
export function namedTokens(grants: Readonly<Record<string, Grants>>): AuthStrategy {
  const callers = new Map(
    Object.entries(grants).map(([id, granted]): [string, Caller] => [
      id,
      { kind: 'token', id, permissions: Permissions.of(granted) },
    ]),
  );
  return {
    name: 'named-tokens',
    authenticate: ({ bearer }: Credentials) => callers.get(bearer ?? '') ?? null,
  };
}
