import type {
  ReplayDeadLetterRequest,
  ReplayDeadLetterResponse,
} from '@recording-request/proto/operator/v1/submissions';
import type { Context } from '../../context.ts';
import { replayDeadLetter as replay } from '../../workflows/dead-letters/replay-dead-letter.ts';
import { toDeadLetterMessage } from './dead-letter-message.ts';

export const replayDeadLetter =
  (context: Pick<Context, 'deadLetters' | 'kafka'>) =>
  async ({ deadLetterId }: ReplayDeadLetterRequest): Promise<ReplayDeadLetterResponse> => ({
    deadLetter: toDeadLetterMessage(await replay(context, deadLetterId)),
  });
