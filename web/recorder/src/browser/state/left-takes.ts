import type { Answer, Loss, Response, UploadState } from './state.ts';
import type { Take } from './take.ts';

// What becomes of the takes that earlier visits left on this device.

/** What the server knows of a take: the answer that it is for, and its own upload. */
function onServer(take: Take, response: Response | undefined): { answer?: Answer; upload?: UploadState } {
  const answer = response?.answers.find(each => each.questionIndex === take.questionIndex);
  return { answer, upload: answer?.uploads.find(({ uploadId }) => take.uploadUrl?.endsWith(`/${uploadId}`)) };
}

/** Whether this device is known to have all of a take: a full one may not have kept that it was sent, nor how large it is. */
export const isWhole = ({ sent, size, recorded }: Take): boolean => sent && size >= recorded;

/** True of a take whose own upload has landed whole, or whose question another take of this device is for. */
export function isSafeToForget(take: Take, response: Response | undefined): boolean {
  const { answer, upload } = onServer(take, response);
  return (upload?.state === 'landed' && !upload.incomplete) || (answer !== undefined && answer.submissionId === null);
}

/** Why a take that did not land whole never will. */
export function lossOf(take: Take, response: Response | undefined): Loss {
  const { answer, upload } = onServer(take, response);
  if (upload?.state === 'landed') return 'incomplete';
  return answer?.submissionId ? 'answered' : 'gone';
}
