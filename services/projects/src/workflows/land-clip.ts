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

/** `landed`: whether this clip is the answer to its question, from now on or from before. */
export interface Landing {
  landed: boolean;
  response: Response;
}

/** One conditional write makes the clip the answer; the first to land wins, and the use is final from then on. */
export async function landClip(deps: Deps, clip: Clip, log: Logger): Promise<Landing> {
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

/** null where the response changed or had to be brought into order first: look again. */
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
    // The clip has landed whatever happens here, and must not be refused: the sweeper moves the link's counters.
    log.warn({ err: error, response: landed._id }, 'The counters of a link follow later');
  }
}
