/** Exports of `nestjs-content-api/testing`, for the tests of providers. */
export { ContentTestDatabase } from './test-database.js';
export { type ContractCase, storageContract } from './storage-contract.js';
