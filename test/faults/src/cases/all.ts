import type { FaultCase } from '../fault-case.ts';
import { haltMedia, haltOthers } from './halt-past-lease.ts';
import { killAfterCommit, killRelay } from './kill-at-moment.ts';
import { killEachService } from './kill-each-service.ts';
import { killMediaInJob } from './kill-media-in-job.ts';
import { rollingRestart } from './rolling-restart.ts';
import { scaleWorkers } from './scale-workers.ts';

/** Every case, in the order in which they run. */
export const CASES: FaultCase[] = [
  killEachService,
  killAfterCommit,
  killRelay,
  killMediaInJob,
  haltMedia,
  haltOthers,
  scaleWorkers,
  rollingRestart,
];
