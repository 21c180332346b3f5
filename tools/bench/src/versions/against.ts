import { startMeter, TICK_MS } from '@recording-request/harness/meter';
import { closedLoop } from '../load/closed-loop.ts';
import { openLoadClient } from '../load/http-client.ts';
import { clipOf } from '../product/clips.ts';
import { bearer, createProject, landClip, type Product } from '../product/product.ts';
import { openSeed } from '../product/seed.ts';
import type { Version } from './version.ts';

/** One of the two versions, which run on the same servers. */
export interface Side {
  product: Pick<Version, 'baseUrl' | 'token' | 'pids'>;
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
/** The services that handle these reads. */
const READING = ['gateway', 'projects', 'submissions'];

/** The ratio of the first side to the second in each round. */
export interface Ratios {
  /** The ratios of the reads a second. */
  rate: number[];
  /**
   * The ratios of the services' CPU time for each read. Other programs on the machine affect them less than the rate.
   */
  cpu: number[];
}

/** Returns the ratios of the first side to the second, by request. */
export async function ratiosOf([now, then]: [Side, Side], place: AgainstPlace): Promise<Record<string, Ratios>> {
  const { signal, log, rounds } = place;
  await using stack = new AsyncDisposableStack();
  const readers = await Promise.all([now, then].map(side => readerOf(side, place, stack)));
  const names = ['/api/me', 'one project', `page of ${PAGE} submissions`] as const;
  for (const name of names) for (const reader of readers) await reader(name, WARM_UP_SECONDS);
  const ratios: Record<string, Ratios> = Object.fromEntries(names.map(name => [name, { rate: [], cpu: [] }]));
  for (let round = 0; round < rounds; round++)
    for (const name of names) {
      signal.throwIfAborted();
      // Reverses the order in each round, so that a machine that slows down affects both sides equally.
      const order = round % 2 === 0 ? [0, 1] : [1, 0];
      const turns: Turn[] = [];
      for (const at of order) turns[at] = await readers[at]!(name, TURN_SECONDS);
      const [one, other] = turns as [Turn, Turn];
      ratios[name]!.rate.push(one.rate / other.rate);
      ratios[name]!.cpu.push(one.cpuMs / other.cpuMs);
      const figures = turns.map(
        ({ rate, cpuMs }) => `${rate.toFixed(0)} reads a second, ${cpuMs.toFixed(2)} ms of CPU each`,
      );
      log(`round ${round + 1} of ${rounds}, ${name}: ${figures.join('; ')}`);
    }
  return ratios;
}

interface Turn {
  /** Reads a second. */
  rate: number;
  /** The CPU time of the services for each read. */
  cpuMs: number;
}

/** Returns a function that reads for some seconds. */
async function readerOf(
  { product, databasePrefix }: Side,
  { mongoUrl, signal }: AgainstPlace,
  stack: AsyncDisposableStack,
) {
  const asOwner = product as Product & typeof product;
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
  return async (name: string, seconds: number): Promise<Turn> => {
    const meter = startMeter({ services: READING.map(name => product.pids[name]!) });
    const read = async () => void (await client.get(paths[name]!, headers));
    const loop = await closedLoop(read, { lanes: LANES, isEnough: (_, elapsed) => elapsed >= seconds });
    return { rate: loop.count / loop.seconds, cpuMs: (meter.ticks('services') * TICK_MS) / loop.count };
  };
}
