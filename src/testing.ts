/** For the tests of those who write providers: what `nestjs-content-api/testing` gives. */
export { type ContractCase, storageContract } from './testing/storage-contract.js';
