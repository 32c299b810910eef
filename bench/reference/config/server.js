'use strict';

module.exports = ({ env }) => ({
  host: env('HOST', '127.0.0.1'),
  port: env.int('PORT', 1337),
  app: { keys: ['bench-key-1', 'bench-key-2'] },
  logger: { config: { level: 'warn' }, startup: { enabled: false }, updates: { enabled: false } },
});
