import type { Handlers } from '@recording-request/kit-rpc/grpc-server';
import type { ExportsServiceServer } from '@recording-request/proto/exports/v1/exports';
import type { SubmissionsOperatorServiceServer } from '@recording-request/proto/operator/v1/submissions';
import type { SubmissionsServiceServer } from '@recording-request/proto/submissions/v1/submissions';
import type { WorkServiceServer } from '@recording-request/proto/work/v1/work';
import type { Context } from '../context.ts';
import { beginJob } from './begin-job.ts';
import { checkStore } from './check-store.ts';
import { countSubmissions } from './count-submissions.ts';
import { dropDeadLetter } from './drop-dead-letter.ts';
import { eraseProjectSubmissions } from './erase-project-submissions.ts';
import { eraseSubmission } from './erase-submission.ts';
import { exportProject } from './export.ts';
import { getBacklog } from './get-backlog.ts';
import { getDeadLetter } from './get-dead-letter.ts';
import { getMedia } from './get-media.ts';
import { getSubmission } from './get-submission.ts';
import { getTrace } from './get-trace.ts';
import { getTroubledUpload } from './get-troubled-upload.ts';
import { giveBackJob } from './give-back-job.ts';
import { listDeadLetters } from './list-dead-letters.ts';
import { listSubmissions } from './list-submissions.ts';
import { listTroubledUploads } from './list-troubled-uploads.ts';
import { listUploads } from './list-uploads.ts';
import { locateArchiveFor } from './locate-archive.ts';
import { measureVideos } from './measure-videos.ts';
import { openArchiveFor } from './open-archive.ts';
import { renewJob } from './renew-job.ts';
import { replayDeadLetter } from './replay-dead-letter.ts';
import { reportArchiveFor } from './report-archive.ts';
import { requestMedia } from './request-media.ts';
import { requestTranscript } from './request-transcript.ts';
import { retryMedia } from './retry-media.ts';
import { retryUpload } from './retry-upload.ts';
import { setResponseNote } from './set-response-note.ts';
import { takeJob } from './take-job.ts';
import { updateSubmission } from './update-submission.ts';

export const submissionsHandlers = (context: Context): Handlers<SubmissionsServiceServer> => ({
  listSubmissions: listSubmissions(context),
  getSubmission: getSubmission(context),
  updateSubmission: updateSubmission(context),
  requestTranscript: requestTranscript(context),
  requestMedia: requestMedia(context),
  countSubmissions: countSubmissions(context),
  getMedia: getMedia(context),
  measureVideos: measureVideos(context),
  listUploads: listUploads(context),
  setResponseNote: setResponseNote(context),
});

export const operatorHandlers = (context: Context): Handlers<SubmissionsOperatorServiceServer> => ({
  eraseSubmission: eraseSubmission(context),
  eraseProjectSubmissions: eraseProjectSubmissions(context),
  getBacklog: getBacklog(context),
  listTroubledUploads: listTroubledUploads(context),
  getTroubledUpload: getTroubledUpload(context),
  retryUpload: retryUpload(context),
  listDeadLetters: listDeadLetters(context),
  getDeadLetter: getDeadLetter(context),
  replayDeadLetter: replayDeadLetter(context),
  dropDeadLetter: dropDeadLetter(context),
  checkStore: checkStore(context),
  getTrace: getTrace(context),
  retryMedia: retryMedia(context),
});

export const workHandlers = (context: Context): Handlers<WorkServiceServer> => ({
  beginJob: beginJob(context),
  renewJob: renewJob(context),
  giveBackJob: giveBackJob(context),
  takeJob: takeJob(context),
});

export const exportsHandlers = (context: Context): Handlers<ExportsServiceServer> => ({
  export: exportProject(context),
  openArchive: openArchiveFor(context),
  locateArchive: locateArchiveFor(context),
  reportArchive: reportArchiveFor(context),
});
