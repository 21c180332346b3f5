import type { Answer, Response, UploadState } from './api.ts';
import { base } from './page.ts';
import type { Spool } from './spool.ts';
import { storedTake, type Take } from './take.ts';

/** What earlier visits left on this device; the one that matters first. */
export async function leftTakes(spool: Spool): Promise<Take[]> {
  const records = await spool.takes(base).catch(() => []);
  records.sort((a, b) => Number(b.sent) - Number(a.sent) || b.startedAt - a.startedAt);
  const takes: Take[] = [];
  for (const record of records) {
    const one = await storedTake(spool, record);
    if (one.size > 0) takes.push(one);
    else await one.forget();
  }
  return takes;
}

/** What the server knows of a take: the answer that it is for, and its own upload. */
function onServer(
  { record }: Take,
  response: Response | undefined,
): { answer: Answer | undefined; upload: UploadState | undefined } {
  const answer = response?.answers.find(each => each.questionIndex === record.questionIndex);
  return { answer, upload: answer?.uploads.find(({ uploadId }) => record.uploadUrl?.endsWith(`/${uploadId}`)) };
}

/** Forgets a take of this device whose own upload has landed whole, or whose question another take of it is for. */
export async function forgetIfSafe(take: Take, response: Response | undefined): Promise<boolean> {
  const { answer, upload } = onServer(take, response);
  const landed = upload?.state === 'landed' && !upload.incomplete;
  const replaced = answer !== undefined && answer.submissionId === null;
  if (landed || replaced) await take.forget();
  return landed || replaced;
}

/** How a take was lost that can still be saved on the device. */
export type Loss = 'incomplete' | 'answered' | 'gone';

/** Why a take that did not land whole never will. */
export function lossOf(take: Take, response: Response | undefined): Loss {
  const { answer, upload } = onServer(take, response);
  if (upload?.state === 'landed') return 'incomplete';
  return answer?.submissionId ? 'answered' : 'gone';
}
