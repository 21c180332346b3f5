import { DomainError } from '@recording-request/kit/errors';
import type { ClientOf } from '@recording-request/kit/grpc-client';
import { every, type Stoppable } from '@recording-request/kit/lifecycle';
import type { Logger } from '@recording-request/kit/log';
import type { Objects } from '@recording-request/kit/objects';
import type { ProjectsServiceServer } from '@recording-request/proto/projects/v1/projects';
import { askMedia, askTranscript, onMediaFailed, onTranscriptEnded, type Submission } from '../domain/submission.ts';
import type { Upload } from '../domain/upload.ts';
import type { SubmissionStore } from '../store/submissions.ts';
import type { UploadStore } from '../store/uploads.ts';
import type { Eraser } from './erase-submission.ts';
import type { Lander } from './land-upload.ts';

const BATCH = 100;
const LANDINGS_AT_ONCE = 4;
const STORE_LOOK_MS = 10 * 60_000;

export interface SweeperOptions {
  uploads: UploadStore;
  submissions: SubmissionStore;
  eraser: Pick<Eraser, 'sweep'>;
  lander: Lander;
  projects: ClientOf<ProjectsServiceServer>;
  log: Logger;
  sweepMs: number;
  holdMs: number;
  emptyHoldMs: number;
  stuckMs: number;
  asksMax: number;
}

/** Takes up what stopped midway, whoever stopped and wherever: every turn can be repeated by any replica. */
export function startSweeper(options: SweeperOptions): Stoppable {
  return every(
    options.sweepMs,
    async () => {
      await finishBegun(options);
      await endHolds(options);
      await askAgain(options);
      await options.eraser.sweep();
    },
    { log: options.log, name: 'sweeper' },
  );
}

/** Ends what processes that died left half stored: it fills the store, and nobody sees it. */
export function startStoreSweeper(options: { objects: Objects; openPutMs: number; log: Logger }): Stoppable {
  const { objects, openPutMs, log } = options;
  return every(
    Math.min(openPutMs, STORE_LOOK_MS),
    async () => {
      const ended = await objects.endOpenPuts(new Date(Date.now() - openPutMs));
      if (ended > 0) log.info({ ended }, 'Objects that nobody goes on storing were given up');
    },
    { log, name: 'store sweeper' },
  );
}

async function finishBegun({ uploads, lander }: SweeperOptions): Promise<void> {
  for (const upload of await uploads.complete(BATCH)) await uploads.finish(upload.id);
  // What fails is noted, and waits longer for its next turn.
  const due = await uploads.due(BATCH);
  for (let at = 0; at < due.length; at += LANDINGS_AT_ONCE)
    await Promise.allSettled(due.slice(at, at + LANDINGS_AT_ONCE).map(upload => lander.drive(upload.id)));
}

/** Uploads whose hold has ended: what was sent and plays is salvaged, the rest goes, and the use with it. */
async function endHolds(options: SweeperOptions): Promise<void> {
  const { uploads, lander } = options;
  const before = new Date(Date.now() - options.holdMs);
  for (const upload of await uploads.idle('uploading', before, BATCH)) {
    if (await uploads.salvage(upload.id)) await lander.drive(upload.id).catch(() => {});
    else await remove(upload, options);
  }
  for (const upload of await uploads.idle('refused', before, BATCH)) await remove(upload, options);
  // A contributor who ended an upload mostly begins another one: the use is kept for as long as one without any byte.
  const ended = new Date(Date.now() - options.emptyHoldMs);
  for (const upload of await uploads.idle('deleted', ended, BATCH)) await remove(upload, options);
}

async function remove(upload: Upload, { uploads, lander, projects }: SweeperOptions): Promise<void> {
  if (!upload.emptied) await release(upload, { uploads, projects });
  await lander.discard(upload);
  await uploads.forget(upload.id);
}

async function release(
  upload: Upload,
  { uploads, projects }: Pick<SweeperOptions, 'uploads' | 'projects'>,
): Promise<void> {
  const others = (await uploads.ofResponse(upload.linkId, upload.responseId)).filter(other => other.id !== upload.id);
  if (others.some(other => other.state === 'uploading' || other.state === 'finishing')) return;
  // Refused where something landed: then the use is final.
  await projects.releaseResponse({ linkId: upload.linkId, responseSessionId: upload.responseId }).catch(error => {
    // With its project the response was erased.
    if (!(error instanceof DomainError) || error.code !== 'not_found') throw error;
  });
}

/** Work whose answer stayed away is asked for again, a bounded number of times. */
async function askAgain({ submissions, stuckMs, asksMax }: SweeperOptions): Promise<void> {
  const before = new Date(Date.now() - stuckMs);
  for (const stuck of await submissions.stuck(before, BATCH)) {
    await submissions.change({ projectId: stuck.projectId, submissionId: stuck.id }, submission =>
      submission.askedAt < before ? nextAsk(submission, asksMax) : undefined,
    );
  }
}

function nextAsk(submission: Submission, asksMax: number) {
  const now = new Date();
  if (submission.mediaStatus === 'processing') {
    return submission.mediaAsks >= asksMax
      ? onMediaFailed(submission, 'The clip could not be processed in several tries; the upload is kept as it came.')
      : askMedia(submission, now);
  }
  if (submission.transcriptStatus !== 'pending' && submission.transcriptStatus !== 'processing') return undefined;
  return submission.transcriptRequest >= asksMax || !submission.audio
    ? onTranscriptEnded(submission, submission.transcriptRequest, {
        reason: 'The transcript could not be made in several tries.',
      })
    : askTranscript(submission, now);
}
