'use strict';

module.exports = {
  'users-permissions': { config: { jwtSecret: 'bench-users-permissions', ratelimit: { enabled: false } } },
};
