/** Files in a bucket: what `nestjs-content-api/s3` gives. Needs the AWS SDK, an optional peer. */
export { S3Storage, type S3StorageOptions, type S3Timeouts } from './files/s3-storage.js';
