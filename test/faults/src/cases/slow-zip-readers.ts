import { setTimeout as delay } from 'node:timers/promises';
import { byHand } from '../contributors/by-hand.ts';
import { contributeAll } from '../contributors/contribute-all.ts';
import type { FaultCase } from '../fault-case.ts';
import { readSlowly } from '../harness/slow-http.ts';

const READERS = 140;
const READ_BYTES_PER_SECOND = 1_000;
/** The size exceeds the buffers between the store and a reader. */
const ZIP_CLIPS = 12;
const ZIP_PAD_BYTES = 2_500_000;
/** The longest time that a contributor may wait for a start while readers are active. */
const START_MS = 5_000;

export const slowZipReaders: FaultCase = {
  name: 'slow-zip-readers',
  promise: 'Any number of slow readers of an archive does not affect contributors',
  bounded: false,
  weight: 0,
  restMs: 120_000,
  harness: { env: { UPLOAD_PART_BYTES: '4194304' }, limited: ['gateway', 'submissions'] },
  async run(harness, { random, short, signal }) {
    const project = await harness.owner.create();
    // Without media, the archive contains the uploaded files with their padding.
    for (const media of harness.fleet.of('media')) await harness.fleet.stop(media);
    await contributeAll(harness, project, ZIP_CLIPS, random.fork('archive'), { padBytes: ZIP_PAD_BYTES });
    const leave = new AbortController();
    const end = AbortSignal.any([signal, leave.signal]);
    const url = new URL(`/project/${project.projectToken}/export/project.zip`, harness.fleet.gateways[0]).href;
    const statuses: number[] = [];
    const readers = Array.from({ length: READERS }, async () => {
      const answer = await readSlowly(url, { bytesPerSecond: READ_BYTES_PER_SECOND, signal: end });
      if (answer) statuses.push(answer.status);
    });
    await delay(3_000, undefined, { signal });
    const before = harness.gateway.incidents.length;
    for (let at = 0; at < (short ? 3 : 10); at++) {
      const mine = random.fork(`during ${at}`);
      const hand = byHand(harness, { project }, harness.take(mine));
      const began = Date.now();
      const answer = await hand.begin();
      const took = Date.now() - began;
      if (answer.status !== 201)
        harness.violated(`a response could not begin while readers were active: ${answer.what}`);
      if (took > START_MS) harness.violated(`a response took ${took} ms to begin while readers were active`);
      await hand.create();
      await hand.finish(0);
    }
    for (const { at, what } of harness.gateway.incidents.slice(before))
      harness.violated(`slow readers affected a contributor (${at.toISOString()}): ${what}`);
    leave.abort();
    await Promise.all(readers);
    for (const status of statuses)
      if (![200, 206, 429, 503].includes(status)) harness.violated(`a slow reader got ${status}`);
    harness.noted(`${statuses.filter(status => status < 300).length} of ${READERS} readers were admitted`);
  },
};
