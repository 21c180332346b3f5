import { after, before, describe, test } from 'node:test';
import { copying } from './objects-contract/copying.ts';
import { manyKeys } from './objects-contract/listing.ts';
import { purging } from './objects-contract/purging.ts';
import { reading } from './objects-contract/reading.ts';
import { refusals } from './objects-contract/refusals.ts';
import { halfStored, inParts, streams, wholeObjects } from './objects-contract/storing.ts';
import { type Each, openTestBucket, type StoreEnv, type TestBucket } from './objects-contract/test-bucket.ts';

/**
 * Declares the tests that every S3 store must pass. `open` returns the store's variables; each run has its own bucket.
 */
export function objectsContract(store: string, open: () => Promise<StoreEnv>): void {
  describe(`object store on ${store}`, { timeout: 300_000 }, () => {
    let bucket: TestBucket;
    before(async () => {
      bucket = await openTestBucket(await open());
    });
    after(() => bucket?.clear());
    const each: Each = (name, run) => void test(name, () => run(bucket));
    wholeObjects(each);
    streams(each);
    halfStored(each);
    inParts(each);
    reading(each);
    manyKeys(each);
    purging(each);
    copying(each);
    refusals(each);
  });
}
