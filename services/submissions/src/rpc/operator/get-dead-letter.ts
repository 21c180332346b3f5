import type { GetDeadLetterRequest, GetDeadLetterResponse } from '@recording-request/proto/operator/v1/submissions';
import type { Context } from '../../context.ts';
import { findDeadLetter } from '../../workflows/dead-letters/replay-dead-letter.ts';
import { toDeadLetterMessage } from './dead-letter-message.ts';

export const getDeadLetter =
  (context: Pick<Context, 'deadLetters'>) =>
  async ({ deadLetterId }: GetDeadLetterRequest): Promise<GetDeadLetterResponse> => ({
    deadLetter: toDeadLetterMessage(await findDeadLetter(context, deadLetterId)),
  });
