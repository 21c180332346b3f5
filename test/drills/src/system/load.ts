import type { Harness } from '@recording-request/fault-test/harness/harness';
import type { Project } from '@recording-request/fault-test/owner/owner';
import { createRandom, type Random } from '@recording-request/stack/random';

/** A load of contributors and an owner. They act at fixed times, even while earlier requests still run. */
export interface SteadyLoad extends AsyncDisposable {
  readonly handedIn: number;
  readonly reads: number;
}

const CLIP_EVERY_MS = 2_000;
const READ_EVERY_MS = 250;
/** The share of clips with speech, each of which gets a transcript. */
const SPEECH = 0.5;
/** The limits of concurrent operations, so that a stalled system does not fill this process. */
const CLIPS_MOST = 30;
const READS_MOST = 40;
const PATIENCE_MS = 60_000;

/** Sends clips and reads like an owner until disposal. */
export function startLoad(harness: Harness, projects: { plain: Project; spoken: Project }): SteadyLoad {
  const random = createRandom('steady');
  const clips = many(CLIPS_MOST, CLIP_EVERY_MS, at => handIn(harness, projects, random.fork(`clip ${at}`)));
  const { projectId } = projects.spoken;
  const paths = ['/api/projects', `/api/projects/${projectId}`, `/api/projects/${projectId}/submissions?limit=10`];
  const reads = many(READS_MOST, READ_EVERY_MS, at =>
    harness.owner.ask(paths[at % paths.length]!, { limitMs: 20_000 }),
  );
  return {
    get handedIn() {
      return clips.done;
    },
    get reads() {
      return reads.done;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([clips.end(), reads.end()]);
    },
  };
}

async function handIn(harness: Harness, { plain, spoken }: Parameters<typeof startLoad>[1], random: Random) {
  const speaks = random.chance(SPEECH);
  const project = speaks ? spoken : plain;
  const take = harness.take(random, { speaks });
  const how = { chunkBytes: 1_000_000, patienceMs: PATIENCE_MS };
  const entry = await harness.contribute({ project }, take, random, how);
  // Drops the takes, because no checker needs them and they would fill the memory.
  harness.ledger.entries.splice(harness.ledger.entries.indexOf(entry), 1);
  harness.gateway.incidents.length = 0;
  if (entry.outcome !== 'ok') throw new Error(entry.why);
}

/** Starts `one` at intervals, unless `most` of them still run. */
function many(most: number, everyMs: number, one: (at: number) => Promise<unknown>) {
  const open = new Set<Promise<void>>();
  let at = 0;
  let done = 0;
  const begin = () => {
    if (open.size >= most) return;
    const running = one(at++).then(
      () => void done++,
      () => {},
    );
    open.add(running);
    void running.then(() => open.delete(running));
  };
  const timer = setInterval(begin, everyMs);
  return {
    get done() {
      return done;
    },
    async end() {
      clearInterval(timer);
      await Promise.all(open);
    },
  };
}
