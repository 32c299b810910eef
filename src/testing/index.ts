/** Exports of `nestjs-content-api/testing`, for the tests of providers. */
export { type ContractCase, storageContract } from './storage-contract.js';
