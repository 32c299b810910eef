/**
 * S3 server in a separate process: `node s3-server.mjs s3rver DIRECTORY` or `fauxqs`. It has a bucket `files`
 * and prints its URL.
 */
const BUCKET = 'files';
const directory = process.argv[3];

const servers = {
  /** Stores objects on disk and checks signatures. */
  s3rver: async () => {
    const { default: S3rver } = await import('@20minutes/s3rver');
    const options = { port: 0, address: '127.0.0.1', silent: true, configureBuckets: [{ name: BUCKET }] };
    const { port } = await new S3rver({ ...options, directory }).run();
    return `http://127.0.0.1:${port}`;
  },
  /** Stores objects in memory. */
  fauxqs: async () => {
    const { startFauxqs } = await import('fauxqs');
    const server = await startFauxqs({ port: 0, logger: false });
    server.createBucket(BUCKET);
    return server.address;
  },
};

console.log(await servers[process.argv[2]]());
process.once('disconnect', () => process.exit());
