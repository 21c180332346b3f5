import type { ClusterCase } from '../cluster-case.ts';
import { badInput } from './bad-input.ts';
import { capacity } from './capacity.ts';
import { capturedPod } from './captured-pod.ts';
import { chart } from './chart.ts';
import { credentials } from './credentials.ts';
import { edge } from './edge.ts';
import { installCase } from './install.ts';
import { mediaByLag } from './media-by-lag.ts';
import { moreWorkers } from './more-workers.ts';
import { partitions } from './partitions.ts';
import { evictions, killedPods, killedProcesses } from './pods-go.ts';
import { restore } from './restore.ts';
import { rollingRestart } from './rolling-restart.ts';
import { rotation } from './rotation.ts';
import { scaleOut } from './scale-out.ts';
import { serversDie } from './servers-die.ts';
import { upgrade } from './upgrade.ts';
import { zones } from './zones.ts';

/** The cases in the order in which they run. */
export const CASES: readonly ClusterCase[] = [
  installCase,
  // This case runs early, because it keeps its backup in memory and there is little data yet.
  badInput,
  // Measurements run before the cases that leave more partitions, clips and events.
  capacity,
  moreWorkers,
  mediaByLag,
  rollingRestart,
  upgrade,
  evictions,
  killedPods,
  killedProcesses,
  scaleOut,
  rotation,
  partitions,
  capturedPod,
  edge,
  zones,
  chart,
  // These are the last cases on single servers, because no later case checks the data that they leave.
  restore,
  // Cases on several servers.
  serversDie,
  credentials,
];
