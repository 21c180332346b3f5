import { randomBytes, randomUUID } from 'node:crypto';
import type { ProjectLinksJson } from '@recording-request/contract/resources/project';
import { createLogger } from '@recording-request/kit/log';
import { mongo } from 'mongoose';
import { readConfig } from '../../../../services/projects/src/config.ts';
import { openContext } from '../../../../services/projects/src/context.ts';
import { beginResponse } from '../../../../services/projects/src/workflows/begin-response.ts';
import { ask, createProject, type Product } from '../product/product.ts';
import { controlPair, expectEqual, PRODUCT, type Prepared, type Row, selfComparison } from '../row.ts';
import { msOf, oneByOne, timed } from '../sample.ts';
import { quantile } from '../stats/interval.ts';

const BARE = 'findOneAndUpdate';
const CLAIMS = 200;
/** The maximum number of uses of a link. 36 rounds claim two million uses, so the rounds alternate between links. */
const MAX_USES = 1_000_000;
const LINKS = 4;
/**
 * The number of turns in a round. A pause of the machine or of the database's disk then affects more than one variant.
 */
const TURNS = 4;
/**
 * The product's bursts per burst of the peer: a burst of the peer takes four times as long. Each figure is the median
 * of many bursts, because short bursts vary.
 */
const OWN_BURSTS = 4;

/** The product's options, with a longer wait for a connection, because the updates of one record conflict. */
const DURABLE = {
  maxPoolSize: 50,
  retryWrites: true,
  writeConcern: { w: 'majority' as const, journal: true },
  readConcernLevel: 'majority' as const,
  waitQueueTimeoutMS: 60_000,
};

type Claim = (linkId: string) => Promise<unknown>;

interface LinkRow {
  _id: string;
  maxUses: number;
  claimed: number;
  landed: number;
}

/** 200 contributors begin at the same time at one link. The peer only counts, with the same driver and the same durability. */
export const claims: Row = {
  name: '7',
  title: '200 claims in the store',
  needs: [],
  minutes: 3,
  turns: TURNS,
  atOnce: true,
  goals: [{ text: 'time, of bare findOneAndUpdate', metric: 'ms', of: PRODUCT, to: BARE, atMost: 1.3 }],
  self: selfComparison('ms'),
  async prepare(bench, stack): Promise<Prepared> {
    const { product } = bench;
    const { repeats } = bench.scale;
    const shared = await Promise.all(Array.from({ length: LINKS }, () => contendedLink(product)));
    const projectOf = new Map(shared.map(({ linkId, projectId }) => [linkId, projectId]));
    const linkIds = [...projectOf.keys()];
    const context = await openProjects(product);
    stack.defer(() => context.store.close());

    const client = new mongo.MongoClient(product.serversEnv.MONGO_URL!, DURABLE);
    stack.defer(() => client.close());
    const database = client.db(`${product.databasePrefix}projects`);
    const stored = database.collection<LinkRow>('links');
    // The peer uses a separate collection.
    const plain = database.collection<LinkRow>('bench_links');
    await plain.insertMany(linkIds.map(_id => ({ _id, maxUses: MAX_USES, claimed: 0, landed: 0 })));

    const own = (linkId: string) =>
      beginResponse(context, {
        linkId,
        projectId: projectOf.get(linkId)!,
        sessionId: randomUUID(),
        termsAccepted: false,
      });
    const free = { $expr: { $lt: [{ $add: ['$claimed', '$landed'] }, '$maxUses'] } };
    const bare = (_id: string) => plain.findOneAndUpdate({ _id, ...free }, { $inc: { claimed: 1 } });
    const claimedBy = async (claim: Claim, where: typeof stored) => {
      const [_id] = linkIds as [string];
      const before = (await where.findOne({ _id }))?.claimed ?? 0;
      await atOnce(() => claim(_id));
      await context.store.transfers.stop();
      return (await where.findOne({ _id }))!.claimed - before;
    };
    expectEqual('the uses claimed by the product', await claimedBy(own, stored), CLAIMS);
    expectEqual('the uses claimed by bare updates', await claimedBy(bare, plain), CLAIMS);
    const alone = oneByOne(bench.signal);
    let bursts = 0;
    const burst = async (claim: Claim) => {
      const linkId = linkIds[bursts++ % LINKS]!;
      const ms = await atOnce(() => claim(linkId));
      // Waits for the work after the HTTP responses, so that it does not slow the next burst.
      await context.store.transfers.stop();
      return ms;
    };
    const several = async (claim: Claim, count: number) => {
      // Does not measure the first burst, because it follows a burst of another variant.
      await burst(claim);
      const each: number[] = [];
      for (let done = 0; done < count; done++) each.push(await burst(claim));
      return each;
    };
    // Uses the median: in a mean, a single stall of the database or the machine would outweigh many bursts.
    const sample = (claim: Claim, count: number) => () =>
      timed(bench, async () => {
        const each: number[] = [];
        for (let done = 0; done < repeats; done++) each.push(...(await alone(() => several(claim, count))));
        return { ms: quantile(each, 0.5) };
      });
    return { ...controlPair(sample(own, OWN_BURSTS)), [BARE]: sample(bare, 1) };
  },
};

/** Returns the shared link of a new project. */
async function contendedLink(product: Product): Promise<{ linkId: string; projectId: string }> {
  const project = await createProject(product, 'A contended link', { sharedLinkMaxUses: MAX_USES });
  const links = await ask<ProjectLinksJson>(product, `/api/projects/${project.projectId}/links`);
  return { linkId: links.sharedLink!.tokenId, projectId: project.projectId };
}

const atOnce = (work: () => Promise<unknown>) => msOf(() => Promise.all(Array.from({ length: CLAIMS }, work)));

/** The store and the workflows of the projects service, in this process. */
function openProjects({ serversEnv, databasePrefix, certificates }: Product) {
  const config = readConfig({
    ...serversEnv,
    ...certificates.env('projects'),
    MONGO_DATABASE_PREFIX: databasePrefix,
    SECRETS_KEY: `k1:${randomBytes(32).toString('base64')}`,
    PUBLIC_BASE_URL: 'http://127.0.0.1',
  });
  return openContext(config, createLogger('projects', 'silent'));
}
