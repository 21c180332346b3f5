/** Work in a lane, such as a partition. Jobs of one lane with the same key run one after the other, in the order added. */
export interface Job {
  lane: number;
  key: string;
  /** The job's position, unique in its lane. */
  place: bigint;
  /**
   * Resolves to the number of milliseconds after which the job runs again, or to undefined when the job is done. Never
   * rejects.
   */
  run(): Promise<number | undefined>;
}

/**
 * Runs a limited number of jobs at once. Lanes take turns, and the keys of a lane take turns too. A waiting job blocks only its own
 * key.
 */
export interface JobScheduler {
  add(job: Job): void;
  /**
   * Drops a lane's waiting jobs. A running job finishes but does not run again, unless it is added again before it
   * finishes.
   */
  drop(lane: number): void;
  /** Starts no more jobs. */
  close(): void;
  /** Resolves when no job runs. */
  idle(): Promise<void>;
}

/** The jobs of a key. While the first job runs, or waits to run again, the others wait behind it. */
interface Line {
  key: string;
  jobs: Job[];
  runs: boolean;
  /** True if the lane was dropped while the first job ran. */
  dropped: boolean;
  again: NodeJS.Timeout | undefined;
}

interface Lane {
  lines: Map<string, Line>;
  /** Lines whose first job can start. The line that has waited longest is first. */
  ready: Set<Line>;
}

/** Calls `onDone` for each finished job, even if its lane was dropped during the job. */
export function createJobScheduler(concurrency: number, onDone: (job: Job) => void): JobScheduler {
  const lanes = new Map<number, Lane>();
  const idle = new Set<() => void>();
  let running = 0;
  let closed = false;

  const begin = (lane: Lane, line: Line, job: Job) => {
    running += 1;
    line.runs = true;
    void job.run().then(againMs => {
      running -= 1;
      line.runs = false;
      if (againMs === undefined) onDone(job);
      settle(lane, line, againMs);
      if (running === 0) for (const tell of idle) tell();
      fill();
    });
  };
  const settle = (lane: Lane, line: Line, againMs: number | undefined) => {
    if (againMs === undefined || line.dropped) {
      line.jobs.shift();
      line.dropped = false;
    } else if (!closed) {
      line.again = setTimeout(() => {
        line.again = undefined;
        lane.ready.add(line);
        fill();
      }, againMs);
      return;
    }
    if (line.jobs.length > 0) lane.ready.add(line);
    else lane.lines.delete(line.key);
  };
  const fill = () => {
    while (!closed && running < concurrency) {
      const lane = nextOf(lanes);
      if (!lane) return;
      const [line] = lane.ready as Set<Line> & [Line];
      lane.ready.delete(line!);
      begin(lane, line!, line!.jobs[0]!);
    }
  };
  return {
    add(job) {
      const lane = laneOf(lanes, job.lane);
      const line = lane.lines.get(job.key) ?? newLine(lane, job.key);
      const [first] = line.jobs;
      if (line.dropped && first?.place === job.place) line.dropped = false;
      else line.jobs.push(job);
      if (line.jobs.length === 1 && !line.runs && !line.again) lane.ready.add(line);
      fill();
    },
    drop(number) {
      const lane = lanes.get(number);
      if (!lane) return;
      lane.ready.clear();
      for (const line of lane.lines.values()) {
        clearTimeout(line.again);
        line.again = undefined;
        line.dropped = line.runs;
        line.jobs.length = line.runs ? 1 : 0;
        if (!line.runs) lane.lines.delete(line.key);
      }
    },
    close() {
      closed = true;
      for (const { lines } of lanes.values()) for (const { again } of lines.values()) clearTimeout(again);
    },
    idle: () => (running === 0 ? Promise.resolve() : new Promise(resolve => idle.add(resolve))),
  };
}

function laneOf(lanes: Map<number, Lane>, number: number): Lane {
  const lane = lanes.get(number) ?? { lines: new Map(), ready: new Set() };
  lanes.set(number, lane);
  return lane;
}

function newLine(lane: Lane, key: string): Line {
  const line: Line = { key, jobs: [], runs: false, dropped: false, again: undefined };
  lane.lines.set(key, line);
  return line;
}

/** Returns the next lane with a job that can start, and moves it behind the others. */
function nextOf(lanes: Map<number, Lane>): Lane | undefined {
  for (const [number, lane] of lanes) {
    if (lane.ready.size === 0) continue;
    lanes.delete(number);
    lanes.set(number, lane);
    return lane;
  }
  return undefined;
}
