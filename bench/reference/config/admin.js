'use strict';

// Fixed secrets: the server contains only bench data and listens on the loopback interface.
module.exports = {
  serveAdminPanel: false,
  auth: { secret: 'bench-admin-auth' },
  apiToken: { salt: 'bench-api-token' },
  transfer: { token: { salt: 'bench-transfer-token' } },
  secrets: { encryptionKey: 'bench-encryption-key-of-32-bytes' },
  flags: { nps: false, promoteEE: false },
};
