import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '@recording-request/stack/random';
import { BYTES, type ByHand, byHand } from '../contributors/by-hand.ts';
import type { Take } from '../contributors/takes.ts';
import type { FaultCase } from '../fault-case.ts';
import type { Harness } from '../harness/harness.ts';
import { sendSlowly } from '../harness/slow-http.ts';
import type { Project } from '../owner/owner.ts';

/** Of those that send much, and of those that send little. The service lends each a first room, and has none for all of them, whatever else it lends. */
const PATCHES = { large: 100, small: 600 };
/** As much as a request may hold in memory before it stores a part, by default. */
const PART_BYTES = 4 * 1024 ** 2;
const SENT_BYTES = { large: PART_BYTES - 64 * 1024, small: 64 };
/** All but these many bytes are sent at once: so much is in memory until the last of them. */
const TRICKLED_BYTES = 32;
const PATCH_MS = { short: 20_000, long: 40_000 };
/** Uploads that are created at once. */
const LANES = 8;
/** How long a contributor goes on who is answered 503. */
const PATIENCE_MS = 240_000;

export const slowPatches: FaultCase = {
  name: 'slow-patches-memory',
  promise: 'However many send slowly, a service stays below the memory that its manifest gives it, or says 503',
  bounded: false,
  weight: 0,
  restMs: 120_000,
  harness: {
    env: {
      UPLOAD_PART_BYTES: String(PART_BYTES),
      UPLOAD_LEASE_SECONDS: '15',
      // All come from one address by one link, which gets an eighth: the service is to refuse some, not the gateway.
      UPLOADS_AT_ONCE: '8000',
    },
    limited: ['gateway', 'submissions'],
  },
  async run(harness, { random, short, signal }) {
    const project = await harness.owner.create();
    const everyMs = PATCH_MS[short ? 'short' : 'long'] / TRICKLED_BYTES;
    const writers = await prepared(harness, project, random);
    const sendersOf = (size: Writer['size']) => writers.filter(writer => writer.size === size);
    // Those that send much take what the service lends; those that send little need the rest to begin.
    const holding: Promise<void>[] = [];
    const large = sendersOf('large').map(writer => {
      const { promise, resolve: onFirst } = Promise.withResolvers<void>();
      holding.push(promise);
      return patch(harness, writer, { everyMs, onFirst, signal }).finally(onFirst);
    });
    const small = sendersOf('small').map(async writer => {
      await Promise.all(holding);
      return patch(harness, writer, { everyMs, signal });
    });
    const times = (await Promise.all([...large, ...small])).reduce((sum, each) => sum + each, 0);
    harness.noted(`${PATCHES.large} large and ${PATCHES.small} small PATCHes at once were answered 503 ${times} times`);
    const isLimited = harness.fleet.of('submissions').every(({ memory }) => memory);
    if (isLimited && times === 0) harness.violated('the service admitted every PATCH: the case did nothing');
  },
};

/** One of those who send, with an upload of their own. */
interface Writer {
  hand: ByHand;
  take: Take;
  random: Random;
  size: keyof typeof PATCHES;
  /** Whether they send the rest, or leave. */
  finishes: boolean;
}

/** All uploads, created a few at a time: what is slow is the sending. */
async function prepared(harness: Harness, project: Project, random: Random): Promise<Writer[]> {
  const sizes = [...Array(PATCHES.large).fill('large'), ...Array(PATCHES.small).fill('small')] as Writer['size'][];
  const writers: Writer[] = [];
  const lane = async () => {
    for (let size = sizes.shift(); size; size = sizes.shift()) {
      const mine = random.fork(`${size} ${sizes.length}`);
      const take = harness.take(mine, { padBytes: SENT_BYTES[size] });
      const hand = byHand(harness, { project }, take);
      await hand.begin();
      const created = await hand.create();
      if (created.status !== 201) throw new Error(`an upload could not be created: ${created.what}: ${created.bytes}`);
      writers.push({ hand, take, random: mine, size, finishes: size === 'large' && sizes.length % 10 === 0 });
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return writers;
}

/**
 * One slow PATCH, retried as long as the service says 503; then the rest, unless the contributor leaves. Returns how often it
 * was 503.
 */
async function patch(
  harness: Harness,
  { hand, take, random, size, finishes }: Writer,
  { everyMs, onFirst, signal }: { everyMs: number; onFirst?: () => void; signal: AbortSignal },
): Promise<number> {
  const begun = SENT_BYTES[size] - TRICKLED_BYTES;
  const rest = Array.from({ length: TRICKLED_BYTES }, (_, at) => take.bytes.subarray(begun + at, begun + at + 1));
  const pieces = [take.bytes.subarray(0, begun), ...rest];
  const url = new URL(hand.upload, harness.fleet.gateways[0]).href;
  const headers = { ...BYTES, 'upload-offset': '0' };
  const until = Date.now() + PATIENCE_MS;
  let refused = 0;
  let offset = 0;
  while (offset === 0 && Date.now() < until) {
    const answer = await sendSlowly(url, { method: 'PATCH', headers, pieces, everyMs, onFirst, signal });
    // 423: the service still holds the writer whose connection broke.
    if (answer?.status === 503 || answer?.status === 423) {
      refused += Number(answer.status === 503);
      await delay(random.integer(1_000, 4_000), undefined, { signal });
      continue;
    }
    if (answer?.status === 204) offset = Number(answer.headers['upload-offset']);
    else {
      // 409: what came before a connection broke was kept.
      if (answer && answer.status !== 409)
        harness.violated(`a slow PATCH was answered ${answer.status}: ${answer.body}`);
      offset = await hand.standing();
    }
  }
  if (offset === 0) harness.violated(`a slow PATCH was not taken within ${PATIENCE_MS / 1_000} s`);
  if (finishes) await hand.finish(offset);
  else hand.entry.why = 'its contributor left';
  return refused;
}
