import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ensure } from '@recording-request/stack/install/ensure';
import { type MongoSet, startMongoSet } from '@recording-request/stack/servers/mongo-set';
import { badAnswers } from '../check/answers.ts';
import type { FaultCase } from '../fault-case.ts';

/** Shorter than MongoDB's default of 10 s, so that a run sees more elections. */
const ELECTION_MS = 4_000;

let set: MongoSet | undefined;

export const mongoPrimaryKilled: FaultCase = {
  name: 'mongo-primary-killed',
  promise:
    'When MongoDB’s primary dies, acknowledged writes stay, and the services continue with the next primary without a restart',
  bounded: false,
  weight: 2,
  harness: {
    async servers(dataDir, stack) {
      const { mongo } = await ensure(['mongo'], () => {});
      set = await startMongoSet(mongo!, { dataDir: join(dataDir, 'mongo'), electionTimeoutMs: ELECTION_MS });
      stack.use(set);
      return { MONGO_URL: set.url };
    },
  },
  async run(harness, { random, submissions, short }) {
    let loading = true;
    const load = harness.load(submissions, random.fork('load')).finally(() => {
      loading = false;
    });
    for (let times = 0; times < (short ? 1 : 3) && (loading || times === 0); times++) {
      await delay(random.integer(500, 3_000));
      const { restart } = await set!.killPrimary();
      await delay(random.integer(500, 6_000));
      await restart();
    }
    await load;
    badAnswers(harness);
  },
};
