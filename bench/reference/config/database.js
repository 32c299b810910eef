'use strict';

// Reads DATABASE_URL, or the variables of libpq.
module.exports = ({ env }) => ({
  connection: {
    client: 'postgres',
    connection: env('DATABASE_URL') ? { connectionString: env('DATABASE_URL') } : {
      host: env('PGHOST', '127.0.0.1'),
      port: env.int('PGPORT', 5432),
      database: env('PGDATABASE', 'bench_reference'),
      user: env('PGUSER', 'postgres'),
      password: env('PGPASSWORD', ''),
    },
    pool: { min: 2, max: env.int('DATABASE_POOL_MAX', 10) },
  },
});
