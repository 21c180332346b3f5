import { closedLoop } from '../load/closed-loop.ts';
import { openLoadClient } from '../load/http-client.ts';
import { clipOf } from '../product/clips.ts';
import { bearer, createProject, landClip, type Product } from '../product/product.ts';
import { openSeed } from '../product/seed.ts';
import { type Interval, medianInterval } from '../stats/interval.ts';

/** One of the two versions, which run on the same servers. */
export interface Side {
  product: Pick<Product, 'baseUrl' | 'token'>;
  databasePrefix: string;
}

export interface AgainstPlace {
  mongoUrl: string;
  signal: AbortSignal;
  log: (line: string) => void;
  rounds: number;
}

const LANES = 16;
const TURN_SECONDS = 1.5;
const WARM_UP_SECONDS = 8;
const PAGE = 100;
const CLIP_BYTES = 300_000;

/** Returns the ratio of the first side's reads a second to the second side's, by request. */
export async function ratiosOf([now, then]: [Side, Side], place: AgainstPlace): Promise<Record<string, Interval>> {
  const { signal, log, rounds } = place;
  await using stack = new AsyncDisposableStack();
  const readers = await Promise.all([now, then].map(side => readerOf(side, place, stack)));
  const names = ['/api/me', 'one project', `page of ${PAGE} submissions`] as const;
  for (const name of names) for (const reader of readers) await reader(name, WARM_UP_SECONDS);
  const ratios: Record<string, number[]> = Object.fromEntries(names.map(name => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const name of names) {
      signal.throwIfAborted();
      // The order changes each round, so that a machine that slows down changes nothing.
      const order = round % 2 === 0 ? [0, 1] : [1, 0];
      const rates: number[] = [];
      for (const at of order) rates[at] = await readers[at]!(name, TURN_SECONDS);
      ratios[name]!.push(rates[0]! / rates[1]!);
      log(
        `round ${round + 1} of ${rounds}, ${name}: ${rates.map(rate => rate.toFixed(0)).join(' and ')} reads a second`,
      );
    }
  return Object.fromEntries(names.map(name => [name, medianInterval(ratios[name]!)!]));
}

/** Returns a function that reads for some seconds and returns the reads a second. */
async function readerOf(
  { product, databasePrefix }: Side,
  { mongoUrl, signal }: AgainstPlace,
  stack: AsyncDisposableStack,
) {
  const asOwner = product as Product;
  const one = await createProject(asOwner, 'One project', { count: 10 });
  const many = await createProject(asOwner, 'A page', { count: 10 });
  const { submissionId } = await landClip(asOwner, many, await clipOf(CLIP_BYTES), signal);
  await using seed = await openSeed({ serversEnv: { MONGO_URL: mongoUrl }, databasePrefix });
  await seed.submissions(submissionId, { projectId: many.projectId, linkId: many.sharedLink!.tokenId }, PAGE - 1);
  const paths: Record<string, string> = {
    '/api/me': '/api/me',
    'one project': `/api/projects/${one.projectId}`,
    [`page of ${PAGE} submissions`]: `/api/projects/${many.projectId}/submissions?limit=${PAGE}`,
  };
  const client = stack.use(openLoadClient(product.baseUrl, LANES));
  const headers = bearer(product);
  return async (name: string, seconds: number): Promise<number> => {
    const read = async () => void (await client.get(paths[name]!, headers));
    const loop = await closedLoop(read, { lanes: LANES, isEnough: (_, elapsed) => elapsed >= seconds });
    return loop.count / loop.seconds;
  };
}
