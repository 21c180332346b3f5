import { after } from 'node:test';
import { type SecondStore, startSecondStore } from '@recording-request/stack/second-store';
import { testEnvironment } from '@recording-request/testing/environment';
import type { StoreEnv } from './objects-contract/test-bucket.ts';
import { objectsContract } from './objects-contract.ts';

let second: SecondStore | undefined;
after(() => second?.[Symbol.asyncDispose]());

objectsContract('MinIO', async () => testEnvironment().env as StoreEnv);
objectsContract('Versity S3 Gateway', async () => {
  second = await startSecondStore();
  return second.env;
});
