import type { DropDeadLetterRequest, DropDeadLetterResponse } from '@recording-request/proto/operator/v1/submissions';
import type { Context } from '../../context.ts';
import { findDeadLetter } from '../../workflows/dead-letters/replay-dead-letter.ts';
import { toDeadLetterMessage } from './dead-letter-message.ts';

export const dropDeadLetter =
  (context: Pick<Context, 'deadLetters'>) =>
  async ({ deadLetterId }: DropDeadLetterRequest): Promise<DropDeadLetterResponse> => {
    await context.deadLetters.end(deadLetterId, 'droppedAt');
    return { deadLetter: toDeadLetterMessage(await findDeadLetter(context, deadLetterId)) };
  };
