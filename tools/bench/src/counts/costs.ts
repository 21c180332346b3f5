import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { makeClip } from '@recording-request/fixtures/clip';
import { waitFor } from '@recording-request/stack/wait';
import { CLIPS } from '../product/clips.ts';
import { ask, createProject, createUpload, type File, type Product, sendUpload } from '../product/product.ts';
import { between, type Cost, medianOf, without } from './difference.ts';
import type { Taps } from './taps.ts';

type Asked = Pick<Product, 'baseUrl' | 'token'>;

export interface CountedPlace {
  product: Asked;
  taps: Taps;
  topicPrefix: string;
  signal: AbortSignal;
  /** The number of times that each of the ROUNDS rounds sends each request. */
  reads: number;
  /** The number of clips that land, one after the other. */
  clips: number;
}

/** The cost of each kind of request by name, of one clip, and of the idle system in a second. */
export interface Costs {
  requests: Record<string, Cost>;
  clip: Cost;
  idle: Cost;
}

const CLIP = { width: 320, height: 180, seconds: 3, text: 'This is what I think of it.' };
const WAIT_MS = 60_000;
/** The time to wait for work after the webhook that also counts: marks in the databases and committed offsets. */
const FOLLOWS_MS = 1_500;
// Long enough for the slowest loops of the services to run once.
const IDLE_MS = 30_000;
const ROUNDS = 3;

/**
 * Counts the work of each kind of request and of a clip, one after the other: the median of the rounds or clips. Subtracts the work of
 * the idle system in the same time.
 */
export async function countCosts({ product, taps, topicPrefix, signal, reads, clips }: CountedPlace): Promise<Costs> {
  await using stack = new AsyncDisposableStack();
  const hook = stack.use(await startHook());
  const settings = { count: clips + 1, transcriptionEnabled: true, webhookUrl: hook.url };
  const project = await createProject(product as Product, 'Counts', settings);
  const path = `/api/projects/${project.projectId}`;
  const made = await makeClip({ dir: CLIPS, container: 'mp4', ...CLIP });
  const file: File = { path: made.path, mimeType: made.mimeType, bytes: (await stat(made.path)).size };
  const land = async (link: string) => {
    await sendUpload(await createUpload(product as Product, link, file), file, signal);
    await hook.transcribed(signal);
  };
  const links = project.recipientUrls.map(({ url }) => url);
  // The first clip opens connections and fills permanent caches.
  await land(links[0]!);
  await delay(FOLLOWS_MS, undefined, { signal });

  let last = await taps.read(topicPrefix);
  let lastAt = performance.now();
  const counted = async (work: () => Promise<void>) => {
    const [before, startedAt] = [last, lastAt];
    await work();
    last = await taps.read(topicPrefix);
    lastAt = performance.now();
    return { before, after: last, seconds: (lastAt - startedAt) / 1_000 };
  };
  const still = await counted(() => delay(IDLE_MS, undefined, { signal }));
  const idle = between(still.before, still.after, still.seconds);
  const costOf = async (times: number, work: () => Promise<void>) => {
    const { before, after, seconds } = await counted(work);
    return without(between(before, after, times), idle, seconds / times);
  };
  const requests: Record<string, Cost> = {};
  for (const [name, address] of Object.entries({
    'GET /api/me': '/api/me',
    'GET /api/projects': '/api/projects',
    'GET /api/projects/{id}': path,
    'GET …/submissions': `${path}/submissions`,
    'GET …/links': `${path}/links`,
  })) {
    await ask(product as Product, address);
    const readAll = async () => {
      for (let sent = 0; sent < reads; sent++) await ask(product as Product, address);
    };
    const rounds: Cost[] = [];
    while (rounds.length < ROUNDS) rounds.push(withoutTokenChecks(await costOf(reads, readAll)));
    requests[name] = medianOf(rounds);
  }
  const landed: Cost[] = [];
  for (const link of links.slice(1)) {
    const work = async () => {
      await land(link);
      await delay(FOLLOWS_MS, undefined, { signal });
    };
    landed.push(await costOf(1, work));
  }
  return { requests, clip: medianOf(landed), idle };
}

/**
 * Returns the cost without the checks of the token. The gateway checks a token about once a second, so a slow machine
 * has more checks for each request. No counted request looks up a hash for another reason.
 */
export function withoutTokenChecks(cost: Cost): Cost {
  const operations = { ...cost['MongoDB operations'] };
  const checks = operations['projects hashes find'] ?? 0;
  for (const name of ['hashes', 'tokens', 'users'].map(each => `projects ${each} find`))
    operations[name] = Math.max(0, (operations[name] ?? 0) - checks);
  return { ...cost, 'MongoDB operations': operations };
}

/** Starts an endpoint for webhooks. */
async function startHook() {
  let transcripts = 0;
  const server = createServer(async (request, response) => {
    const { type } = JSON.parse(await text(request)) as { type?: string };
    response.writeHead(204).end();
    if (type === 'submission.transcript.completed') transcripts += 1;
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    async transcribed(signal: AbortSignal) {
      await waitFor('the webhook of a transcript', async () => transcripts > 0 || undefined, {
        timeoutMs: WAIT_MS,
        signal,
      });
      transcripts -= 1;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
