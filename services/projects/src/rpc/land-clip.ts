import { DomainError } from '@recording-request/kit/errors';
import type { CallContext } from '@recording-request/kit/grpc-server';
import { isUuid } from '@recording-request/kit/ids';
import type { LandClipRequest, LandClipResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { asksQuestion, withAnswer } from '../domain/response.ts';
import { landingKind } from '../domain/transfer.ts';
import type { ResponseDocument } from '../store/schemas.ts';
import { decidedResponse, keyOf, settledResponse, TRIES, tooBusy } from '../workflows/claim-use.ts';
import { withUse } from './renew-response.ts';
import { toResponse } from './response-messages.ts';

/** One conditional write makes the clip the answer; the first to land wins, and the use is final from then on. */
export const landClip =
  (context: Context) =>
  async (request: LandClipRequest, call: CallContext): Promise<LandClipResponse> => {
    if (!isUuid(request.submissionId)) throw new DomainError('invalid', 'submission_id must be a UUID.');
    const id = keyOf(request.linkId, request.responseSessionId);
    for (let tries = 0; tries < TRIES; tries++) {
      const response = await decidedResponse(context, id);
      if (!asksQuestion(response.settings, request.questionIndex)) {
        throw new DomainError('invalid', `questionIndex: this response has no question ${request.questionIndex}.`);
      }
      const answer = response.answers.find(one => one.questionIndex === request.questionIndex);
      if (answer) return await replyOf(context, response, answer.submissionId === request.submissionId);
      const landed = await land(context, response, request);
      if (!landed) continue;
      await moveCounters(context, landed, call);
      return await replyOf(context, landed, true);
    }
    throw tooBusy();
  };

/** null where the response changed or had to be brought into order first: look again. */
async function land(
  context: Context,
  response: ResponseDocument,
  { questionIndex, submissionId }: LandClipRequest,
): Promise<ResponseDocument | null> {
  const { store } = context;
  if (response.transfer) {
    await settledResponse(context, response._id);
    return null;
  }
  const kind = landingKind(response.use);
  if (!kind) {
    await withUse(context, response._id);
    return null;
  }
  const now = new Date();
  const expected = { use: response.use, answers: response.answers.length };
  const change = { ...withAnswer(response, { questionIndex, submissionId, at: now }), use: 'landed' } as const;
  return await store.responses.beginTransfer(response._id, expected, change, store.transfers.make(kind, now));
}

async function moveCounters({ store }: Context, landed: ResponseDocument, call: CallContext): Promise<void> {
  try {
    await store.transfers.execute(landed);
  } catch (error) {
    // The clip has landed whatever happens here, and must not be refused: the sweeper moves the link's counters.
    call.log.warn({ err: error, response: landed._id }, 'The counters of a link follow later');
  }
}

async function replyOf(context: Context, response: ResponseDocument, landed: boolean): Promise<LandClipResponse> {
  return { landed, complete: response.complete, response: await toResponse(context, response) };
}
