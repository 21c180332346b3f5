import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '@recording-request/stack/random';
import { BYTES, type ByHand, byHand } from '../contributors/by-hand.ts';
import type { Take } from '../contributors/takes.ts';
import type { FaultCase } from '../fault-case.ts';
import type { Harness } from '../harness/harness.ts';
import { sendSlowly } from '../harness/slow-http.ts';
import type { Project } from '../owner/owner.ts';

/** The numbers of large and small PATCHes. They exceed the memory that the service lends to PATCHes at first. */
const PATCHES = { large: 100, small: 600 };
/** The default part size. A request holds at most this much in memory before it stores a part. */
const PART_BYTES = 4 * 1024 ** 2;
const SENT_BYTES = { large: PART_BYTES - 64 * 1024, small: 64 };
/** The number of bytes that are sent last. All other bytes are sent at once and stay in memory until then. */
const TRICKLED_BYTES = 32;
const PATCH_MS = { short: 20_000, long: 40_000 };
/** The number of concurrent creations of uploads. */
const LANES = 8;
/** The time for which a contributor retries on 503. */
const PATIENCE_MS = 240_000;

export const slowPatches: FaultCase = {
  name: 'slow-patches-memory',
  promise:
    'With any number of slow senders a service stays below the memory limit of its manifest; it returns 503 to the rest',
  bounded: false,
  weight: 0,
  restMs: 120_000,
  harness: {
    env: {
      UPLOAD_PART_BYTES: String(PART_BYTES),
      UPLOAD_LEASE_SECONDS: '15',
      // The contributors of one link at one address get an eighth of the gateway's limit. The limit is high, so that
      // the service refuses requests, not the gateway.
      UPLOADS_AT_ONCE: '8000',
    },
    limited: ['gateway', 'submissions'],
  },
  async run(harness, { random, short, signal }) {
    const project = await harness.owner.create();
    const everyMs = PATCH_MS[short ? 'short' : 'long'] / TRICKLED_BYTES;
    const writers = await prepared(harness, project, random);
    const sendersOf = (size: Writer['size']) => writers.filter(writer => writer.size === size);
    // The large senders borrow the memory first. The small senders need the rest of it to begin.
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
    harness.noted(`${PATCHES.large} large and ${PATCHES.small} small PATCHes at once got 503 ${times} times`);
    const isLimited = harness.fleet.of('submissions').every(({ memory }) => memory);
    if (isLimited && times === 0) harness.violated('the service admitted every PATCH: the case tested nothing');
  },
};

/** A sender with its own upload. */
interface Writer {
  hand: ByHand;
  take: Take;
  random: Random;
  size: keyof typeof PATCHES;
  /** True if the sender sends the rest; false if it disconnects. */
  finishes: boolean;
}

/** Creates all uploads, a few at a time, because only the sending is slow. */
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
 * Sends a slow PATCH and retries it on 503. Then sends the rest, unless the contributor disconnects. Returns the number
 * of 503s.
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
    // 423 means that the writer with the cut connection still has the lease.
    if (answer?.status === 503 || answer?.status === 423) {
      refused += Number(answer.status === 503);
      await delay(random.integer(1_000, 4_000), undefined, { signal });
      continue;
    }
    if (answer?.status === 204) offset = Number(answer.headers['upload-offset']);
    else {
      // 409 means that the service kept the bytes from before the cut.
      if (answer && answer.status !== 409) harness.violated(`a slow PATCH returned ${answer.status}: ${answer.body}`);
      offset = await hand.standing();
    }
  }
  if (offset === 0) harness.violated(`a slow PATCH was not accepted within ${PATIENCE_MS / 1_000} s`);
  if (finishes) await hand.finish(offset);
  else hand.entry.why = 'its contributor left';
  return refused;
}
