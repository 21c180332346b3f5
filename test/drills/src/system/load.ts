import type { Harness } from '@recording-request/fault-test/harness/harness';
import type { Project } from '@recording-request/fault-test/owner/owner';
import type { Random } from '@recording-request/stack/random';
import type { Owners } from './owners.ts';

/** A load of contributors and an owner. They act at fixed times, even while earlier requests still run. */
export interface SteadyLoad extends AsyncDisposable {
  /** Sends one more clip to this project. Rejects if the service does not accept it. */
  handIn(project: Project): Promise<void>;
  /** The latest accepted clips, oldest first. */
  readonly clips: readonly AcceptedClip[];
}

/** An accepted clip. */
export interface AcceptedClip {
  projectId: string;
  sha256: string;
  /** The time when the contributor began, by Date.now(). */
  at: number;
}

const CLIP_EVERY_MS = 2_000;
const READ_EVERY_MS = 250;
/** The share of clips with speech, each of which gets a transcript. */
const SPEECH = 0.5;
/**
 * The limits of concurrent operations, so that operations of a stalled system do not fill the memory of this process.
 */
const CLIPS_MOST = 30;
const READS_MOST = 40;
const PATIENCE_MS = 60_000;
const REMEMBERED = 200;

/** Sends clips and reads like an owner until disposal. */
export function startLoad(
  harness: Harness,
  { plain, spoken, others }: Pick<Owners, 'plain' | 'spoken' | 'others'>,
  random: Random,
): SteadyLoad {
  const accepted: AcceptedClip[] = [];
  let extra = 0;
  const handIn = async (project: Project, speaks: boolean, own: Random) => {
    const at = Date.now();
    const sha256 = await contribute(harness, project, speaks, own);
    accepted.push({ projectId: project.projectId, sha256, at });
    accepted.splice(0, accepted.length - REMEMBERED);
  };
  const clips = many(CLIPS_MOST, CLIP_EVERY_MS, at => {
    const own = random.fork(`clip ${at}`);
    const speaks = own.chance(SPEECH);
    return handIn(speaks ? spoken : own.pick([plain, ...others]), speaks, own);
  });
  const { projectId } = spoken;
  const paths = ['/api/projects', `/api/projects/${projectId}`, `/api/projects/${projectId}/submissions?limit=10`];
  const reads = many(READS_MOST, READ_EVERY_MS, at =>
    harness.owner.ask(paths[at % paths.length]!, { limitMs: 20_000 }),
  );
  return {
    clips: accepted,
    handIn: project => handIn(project, false, random.fork(`extra clip ${extra++}`)),
    async [Symbol.asyncDispose]() {
      await Promise.all([clips.end(), reads.end()]);
    },
  };
}

/** Returns the hash of the accepted clip. */
async function contribute(harness: Harness, project: Project, speaks: boolean, random: Random): Promise<string> {
  const take = harness.take(random, { speaks });
  const how = { chunkBytes: 1_000_000, patienceMs: PATIENCE_MS };
  const entry = await harness.contribute({ project }, take, random, how);
  // Drops the takes, because no checker needs them and they would fill the memory.
  harness.ledger.entries.splice(harness.ledger.entries.indexOf(entry), 1);
  harness.gateway.incidents.length = 0;
  if (entry.outcome !== 'ok') throw new Error(entry.why);
  return take.sha256;
}

/** Starts `one` at intervals, unless `most` of them still run. */
function many(most: number, everyMs: number, one: (at: number) => Promise<unknown>) {
  const open = new Set<Promise<void>>();
  let at = 0;
  const begin = () => {
    if (open.size >= most) return;
    const running = one(at++).then(
      () => {},
      () => {},
    );
    open.add(running);
    void running.then(() => open.delete(running));
  };
  const timer = setInterval(begin, everyMs);
  return {
    async end() {
      clearInterval(timer);
      await Promise.all(open);
    },
  };
}
