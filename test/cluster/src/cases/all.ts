import type { ClusterCase } from '../cluster-case.ts';
import { capturedPod } from './captured-pod.ts';
import { installCase } from './install.ts';
import { moreWorkers } from './more-workers.ts';
import { partitions } from './partitions.ts';
import { evictions, killedProcesses } from './pods-go.ts';
import { rollingRestart } from './rolling-restart.ts';
import { rotation } from './rotation.ts';
import { scaleOut } from './scale-out.ts';
import { zones } from './zones.ts';

/** In the order in which they run. */
export const CASES: readonly ClusterCase[] = [
  installCase,
  rollingRestart,
  evictions,
  killedProcesses,
  scaleOut,
  rotation,
  partitions,
  capturedPod,
  zones,
  // The last: its pods of media stay as small as it made them.
  moreWorkers,
];
