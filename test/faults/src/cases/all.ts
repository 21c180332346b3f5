import type { FaultCase } from '../fault-case.ts';
import { clocks } from './clocks.ts';
import { storeDiskFull, workDiskFull } from './disk-full.ts';
import { exportWhileLanding } from './export-while-landing.ts';
import { feed } from './feed.ts';
import { haltMedia, haltOthers } from './halt-past-lease.ts';
import { kafkaDown } from './kafka-down.ts';
import { kafkaPausedLargeTexts, kafkaPausedLong } from './kafka-paused.ts';
import { killAfterCommit, killRelay } from './kill-at-moment.ts';
import { killEachService } from './kill-each-service.ts';
import { killMediaInJob } from './kill-media-in-job.ts';
import { longUploadAndRefusals, projectsList } from './large-quantities.ts';
import { lastUse } from './last-use.ts';
import { linkEnds } from './link-ends-in-mid-upload.ts';
import { mediaAtItsSlots } from './media-at-its-slots.ts';
import { mongoPrimaryKilled } from './mongo-primary-killed.ts';
import { oneOwnerManyClips } from './one-owner-many-clips.ts';
import { poison } from './poison.ts';
import { reminders } from './reminders.ts';
import { restore } from './restore.ts';
import { rollingRestart } from './rolling-restart.ts';
import { rotation } from './rotation.ts';
import { scaleWorkers } from './scale-workers.ts';
import { slowPatches } from './slow-patches.ts';
import { slowZipReaders } from './slow-zip-readers.ts';
import { speechInTrouble } from './speech-in-trouble.ts';
import { storeDown, storeErrors, storeSlow } from './store-in-trouble.ts';
import { telemetryDown } from './telemetry-down.ts';
import { tenantsRead } from './tenants-read.ts';
import { twoWritersWhileMongoIsPaused } from './two-writers-while-mongo-is-paused.ts';
import { uploadCut } from './upload-cut.ts';
import { versionsSideBySide } from './versions-side-by-side.ts';
import { mediaAway, slowSpeechQueue, storeRefusesOneSource } from './waiting-work.ts';
import { workersComeAndGo } from './workers-come-and-go.ts';
import { wrongLengths } from './wrong-lengths.ts';

/** Every case, in the order of a run. */
export const CASES: FaultCase[] = [
  killEachService,
  killAfterCommit,
  killRelay,
  killMediaInJob,
  haltMedia,
  haltOthers,
  scaleWorkers,
  rollingRestart,
  rotation,
  versionsSideBySide,
  restore,
  kafkaDown,
  mongoPrimaryKilled,
  storeDown,
  storeErrors,
  storeSlow,
  storeDiskFull,
  workDiskFull,
  uploadCut,
  wrongLengths,
  lastUse,
  linkEnds,
  poison,
  speechInTrouble,
  telemetryDown,
  kafkaPausedLargeTexts,
  kafkaPausedLong,
  twoWritersWhileMongoIsPaused,
  slowSpeechQueue,
  storeRefusesOneSource,
  mediaAway,
  workersComeAndGo,
  slowZipReaders,
  tenantsRead,
  slowPatches,
  mediaAtItsSlots,
  oneOwnerManyClips,
  exportWhileLanding,
  projectsList,
  longUploadAndRefusals,
  clocks,
  feed,
  reminders,
];
