/** Exports of `nestjs-content-api/s3`: files in a bucket. Needs the AWS SDK, an optional peer dependency. */
export { S3Storage, type S3StorageOptions, type S3Timeouts } from './s3-storage.js';
