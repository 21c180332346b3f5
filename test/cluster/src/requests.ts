import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Incident } from '@recording-request/fault-test/harness/gateway-client';
import type { LoadOptions } from '@recording-request/fault-test/harness/load';
import type { ClusterHarness } from './harness.ts';

const READ_EVERY_MS = 40;
/**
 * The contributors together send one take a second, because two processors can handle no more during the disturbances.
 * Without a pause, contributors would use all processors, and requests would fail because of the machine.
 */
const TAKE_EVERY_MS = 1_000;
const WIDTH = 4;
const WRITE_EVERY_MS = 1_000;
/** The maximum number of failures in one row of the table. */
const SHOWN = 12;

/**
 * Reads like owners, every 40 ms by default, each over a separate connection, until `work` ends. Each read is
 * permitted, is below every limit, and requests existing data, so a status other than 200 is an incident. Returns the
 * number of requests.
 */
export async function whileReading(
  { owner, projects }: ClusterHarness,
  work: () => Promise<unknown>,
  everyMs = READ_EVERY_MS,
): Promise<number> {
  const { plain } = await projects();
  const paths = [
    '/api/me',
    '/api/projects',
    `/api/projects/${plain.projectId}`,
    // This read decrypts the tokens of the links.
    `/api/projects/${plain.projectId}/links`,
    `/api/projects/${plain.projectId}/submissions`,
  ];
  const done = new AbortController();
  const open = new Set<Promise<unknown>>();
  let count = 0;
  const reading = (async () => {
    while (!done.signal.aborted) {
      // The client records failures.
      const one = owner.ask(paths[count++ % paths.length]!, { wanted: 200 }).catch(() => {});
      open.add(one);
      void one.finally(() => open.delete(one));
      await delay(everyMs);
    }
  })();
  try {
    await work();
  } finally {
    done.abort();
    await reading;
    await Promise.all(open);
  }
  return count;
}

export interface WithoutFailures {
  allowed?: (incident: Incident) => boolean | Promise<boolean>;
  readEveryMs?: number;
}

/**
 * Runs `work` while clients read and contribute. A failed request is a broken promise: a request without an HTTP response,
 * with a status of 500 or more or, for a read, with a status other than 200. `allowed` selects exceptions; `readEveryMs` is
 * passed to `whileReading`.
 */
export async function withoutFailures(
  harness: ClusterHarness,
  work: () => Promise<unknown>,
  { allowed = () => false, readEveryMs }: WithoutFailures = {},
): Promise<void> {
  const { gateway } = harness;
  const before = gateway.incidents.length;
  const reads = await whileReading(harness, work, readEveryMs);
  const failed = gateway.incidents.slice(before);
  const broken: Incident[] = [];
  for (const incident of failed) if (!(await allowed(incident))) broken.push(incident);
  harness.noted(
    `${reads} reads; ${failed.length} of all requests failed${failed.length > broken.length ? `, ${failed.length - broken.length} of them allowed` : ''}`,
  );
  for (const { at, what } of broken.slice(0, SHOWN)) harness.violated(`a request failed: ${at.toISOString()} ${what}`);
  if (broken.length > SHOWN) harness.violated(`and ${broken.length - SHOWN} more`);
}

/**
 * Creates a project and renames it, once a second, until `work` ends. Each request is repeated until it has an HTTP
 * response. Then each project must exist once, under its last name.
 */
export async function whileWriting(
  { owner, noted, violated }: ClusterHarness,
  work: () => Promise<unknown>,
): Promise<void> {
  const done = new AbortController();
  const written: string[] = [];
  const writing = (async () => {
    while (!done.signal.aborted) {
      const projectName = `Written ${randomUUID()}`;
      const { projectId } = await owner.create({ projectName, sharedLinkEnabled: false });
      await owner.rename(projectId, `${projectName}, renamed`);
      written.push(projectName);
      await delay(WRITE_EVERY_MS);
    }
  })();
  // Reported below, after `work` has ended.
  writing.catch(() => {});
  try {
    await work();
  } finally {
    done.abort();
    await writing;
  }
  const names = (await owner.list()).projects.map(({ projectName }) => projectName);
  for (const name of written)
    if (names.filter(each => each.startsWith(name)).join() !== `${name}, renamed`)
      violated(
        `an owner created the project “${name}” and renamed it, but it does not exist exactly once under its last name`,
      );
  noted(`${written.length} projects created and renamed`);
}

/** Contributes at least `clips` clips, and continues until `work` ends. `how` has the other options of the load. */
export async function whileContributing(
  harness: ClusterHarness,
  { random, clips }: Parameters<import('./cluster-case.ts').ClusterCase['run']>[1],
  work: () => Promise<unknown>,
  { width = WIDTH, ...how }: LoadOptions = {},
): Promise<void> {
  let isOver = false;
  const contributing = (async () => {
    for (let round = 0; round === 0 || !isOver; round++)
      await harness.load(clips, random.fork(`round ${round}`), { ...how, width, everyMs: width * TAKE_EVERY_MS });
  })();
  try {
    await work();
  } finally {
    isOver = true;
    await contributing;
  }
}
