import type { Handlers } from '@recording-request/kit-rpc/grpc-server';
import type { ExportsServiceServer } from '@recording-request/proto/exports/v1/exports';
import type { SubmissionsOperatorServiceServer } from '@recording-request/proto/operator/v1/submissions';
import type { SubmissionsServiceServer } from '@recording-request/proto/submissions/v1/submissions';
import type { WorkServiceServer } from '@recording-request/proto/work/v1/work';
import type { Context } from '../context.ts';
import { countSubmissions } from './clips/count-submissions.ts';
import { eraseClip } from './clips/erase-clip.ts';
import { getMedia } from './clips/get-media.ts';
import { getSubmission } from './clips/get-submission.ts';
import { beginLinkErasure, getLinkErasure } from './clips/link-erasure.ts';
import { listSubmissions } from './clips/list-submissions.ts';
import { measureVideos } from './clips/measure-videos.ts';
import { beginErasure, getErasure } from './clips/own-erasure.ts';
import { requestMedia } from './clips/request-media.ts';
import { requestTranscript } from './clips/request-transcript.ts';
import { changeReview, getReview } from './clips/review.ts';
import { touchLink } from './clips/touch-link.ts';
import { updateSubmission } from './clips/update-submission.ts';
import { exportProject } from './exports/export.ts';
import { locateArchiveFor } from './exports/locate-archive.ts';
import { openArchiveFor } from './exports/open-archive.ts';
import { reportArchiveFor } from './exports/report-archive.ts';
import { giveBackJob } from './jobs/give-back-job.ts';
import { renewJob } from './jobs/renew-job.ts';
import { takeJob } from './jobs/take-job.ts';
import { checkStore } from './operator/check-store.ts';
import { dropDeadLetter } from './operator/drop-dead-letter.ts';
import { eraseLink } from './operator/erase-link.ts';
import { eraseProjectSubmissions } from './operator/erase-project-submissions.ts';
import { eraseSubmission } from './operator/erase-submission.ts';
import { getBacklog } from './operator/get-backlog.ts';
import { getDeadLetter } from './operator/get-dead-letter.ts';
import { getTrace } from './operator/get-trace.ts';
import { getTroubledUpload } from './operator/get-troubled-upload.ts';
import { listDeadLetters } from './operator/list-dead-letters.ts';
import { listTroubledUploads } from './operator/list-troubled-uploads.ts';
import { replayDeadLetter } from './operator/replay-dead-letter.ts';
import { retryMedia } from './operator/retry-media.ts';
import { retryUpload } from './operator/retry-upload.ts';
import { listUploads } from './uploads/list-uploads.ts';
import { setResponseNote } from './uploads/set-response-note.ts';

export const submissionsHandlers = (context: Context): Handlers<SubmissionsServiceServer> => ({
  listSubmissions: listSubmissions(context),
  getSubmission: getSubmission(context),
  updateSubmission: updateSubmission(context),
  getReview: getReview(context),
  changeReview: changeReview(context),
  requestTranscript: requestTranscript(context),
  requestMedia: requestMedia(context),
  countSubmissions: countSubmissions(context),
  getMedia: getMedia(context),
  measureVideos: measureVideos(context),
  listUploads: listUploads(context),
  setResponseNote: setResponseNote(context),
  touchLink: touchLink(context),
  eraseClip: eraseClip(context),
  beginErasure: beginErasure(context),
  getErasure: getErasure(context),
  beginLinkErasure: beginLinkErasure(context),
  getLinkErasure: getLinkErasure(context),
});

export const operatorHandlers = (context: Context): Handlers<SubmissionsOperatorServiceServer> => ({
  eraseSubmission: eraseSubmission(context),
  eraseProjectSubmissions: eraseProjectSubmissions(context),
  eraseLink: eraseLink(context),
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
  takeJob: takeJob(context),
  renewJob: renewJob(context),
  giveBackJob: giveBackJob(context),
});

export const exportsHandlers = (context: Context): Handlers<ExportsServiceServer> => ({
  export: exportProject(context),
  openArchive: openArchiveFor(context),
  locateArchive: locateArchiveFor(context),
  reportArchive: reportArchiveFor(context),
});
