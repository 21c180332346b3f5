import type { Answer, Loss, Response, UploadState } from './state.ts';
import type { Take } from './take.ts';

// The handling of takes that earlier visits left on this device.

/** Returns the server's records of a take: the answer to its question, and the take's own upload. */
function onServer(take: Take, response: Response | undefined): { answer?: Answer; upload?: UploadState } {
  const answer = response?.answers.find(each => each.questionIndex === take.questionIndex);
  return { answer, upload: answer?.uploads.find(({ uploadId }) => take.uploadUrl?.endsWith(`/${uploadId}`)) };
}

/** Returns whether this device certainly has all of a take. A full device may have stored neither Send nor the size. */
export const isWhole = ({ sent, size, recorded }: Take): boolean => sent && size >= recorded;

/**
 * Returns whether a take can be deleted: its own upload has landed completely, or another take of this device answers
 * its question.
 */
export function isSafeToForget(take: Take, response: Response | undefined): boolean {
  const { answer, upload } = onServer(take, response);
  return (upload?.state === 'landed' && !upload.incomplete) || (answer !== undefined && answer.submissionId === null);
}

/** Returns the reason why a take will never land completely. */
export function lossOf(take: Take, response: Response | undefined): Loss {
  const { answer, upload } = onServer(take, response);
  if (upload?.state === 'landed') return 'incomplete';
  return answer?.submissionId ? 'answered' : 'gone';
}
