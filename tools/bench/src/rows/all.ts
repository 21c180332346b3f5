import type { Row } from '../row.ts';
import { archive } from './archive.ts';
import { claims } from './claims.ts';
import { growth } from './growth.ts';
import { growthLists } from './growth-lists.ts';
import { landing } from './landing.ts';
import { mediaJob } from './media-job.ts';
import { memory } from './memory.ts';
import { ownerRead } from './owner-read.ts';
import { page } from './page.ts';
import { pageLoad } from './page-load.ts';
import { start } from './start.ts';
import { telemetryClips, telemetryReads } from './telemetry.ts';
import { uploadIn } from './upload-in.ts';
import { videoOut } from './video-out.ts';
import { workers } from './workers.ts';

/** All rows, in the order of the table. */
export const ROWS: readonly Row[] = [
  ownerRead,
  page,
  videoOut,
  uploadIn,
  archive,
  mediaJob,
  claims,
  landing,
  memory,
  growth,
  growthLists,
  workers,
  telemetryReads,
  start,
  telemetryClips,
  pageLoad,
];
