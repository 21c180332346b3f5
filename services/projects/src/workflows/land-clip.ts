import { DomainError } from '@recording-request/kit/errors';
import type { Logger } from '@recording-request/kit/log';
import type { Context } from '../context.ts';
import { asksQuestion, landingKind, type Response, withAnswer } from '../domain/response.ts';
import { decidedResponse, settledResponse, whileChanging } from './current-response.ts';
import { renewResponse } from './renew-response.ts';

type Deps = Pick<Context, 'config' | 'store' | 'clock'>;

export interface Clip {
  responseId: string;
  /** 0 outside interviews. */
  questionIndex: number;
  submissionId: string;
}

/** `landed` is true if this or an earlier call made this clip the answer to its question. */
export interface Landing {
  landed: boolean;
  response: Response;
}

/**
 * Makes the clip the answer to its question, in one conditional write. The first clip that lands becomes the answer;
 * after that, the use is final.
 */
export async function landClip(deps: Deps, clip: Clip, log: Logger): Promise<Landing> {
  const only = await landOnly(deps, clip);
  if (only) {
    await moveCounters(deps, only, log);
    return { landed: true, response: only };
  }
  return await whileChanging(async () => {
    const response = await decidedResponse(deps, clip.responseId);
    if (!asksQuestion(response.settings, clip.questionIndex)) {
      throw new DomainError('invalid', `questionIndex: this response has no question ${clip.questionIndex}.`);
    }
    const answer = response.answers.find(one => one.questionIndex === clip.questionIndex);
    if (answer) return { landed: answer.submissionId === clip.submissionId, response };
    const landed = await land(deps, response, clip);
    if (!landed) return null;
    await moveCounters(deps, landed, log);
    return { landed: true, response: landed };
  });
}

/**
 * Lands the only clip of a response without reading the response first; nearly every clip is such a clip. Returns null
 * for any other response.
 */
async function landOnly({ store, clock }: Deps, { responseId, questionIndex, submissionId }: Clip) {
  if (questionIndex !== 0) return null;
  const now = clock.now();
  const expected = { use: 'held', answers: 0, isInterview: false } as const;
  const answers = [{ questionIndex, submissionId, at: now }];
  const transfer = { ...store.transfers.make('land', now), completes: true };
  const change = { answers, complete: true, use: 'landed' as const };
  return await store.responses.beginTransfer(responseId, expected, change, transfer);
}

/** Returns null if the response changed, or if a running transfer had to be settled first: retry. */
async function land(deps: Deps, response: Response, { questionIndex, submissionId }: Clip): Promise<Response | null> {
  const { store } = deps;
  if (response.transfer) {
    await settledResponse(deps, response._id);
    return null;
  }
  const kind = landingKind(response.use);
  if (!kind) {
    await renewResponse(deps, response._id);
    return null;
  }
  const now = deps.clock.now();
  const expected = { use: response.use, answers: response.answers.length };
  const change = { ...withAnswer(response, { questionIndex, submissionId, at: now }), use: 'landed' } as const;
  const transfer = { ...store.transfers.make(kind, now), completes: change.complete };
  return await store.responses.beginTransfer(response._id, expected, change, transfer);
}

async function moveCounters({ store }: Deps, landed: Response, log: Logger): Promise<void> {
  try {
    await store.transfers.execute(landed);
  } catch (error) {
    // The clip has landed even if this fails, so the call must succeed; the sweeper updates the link's counters.
    log.warn({ err: error, response: landed._id }, 'The counters of a link were not updated; the sweeper updates them');
  }
}
