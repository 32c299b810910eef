import { hashPassword, verifyPassword } from '../../src/content/documents/passwords.ts';

// `npm test` hashes with the lowest cost (`test/support/native-runner.mjs`).
it('D3 14.16 hashes a password at the cost that OWASP recommends', async () => {
  const hash = await hashPassword('correct horse');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await verifyPassword('correct horse', hash)).toBe(true);
  expect(await verifyPassword('wrong horse', hash)).toBe(false);
});
