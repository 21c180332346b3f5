import type { DeadLetter as DeadLetterMessage } from '@recording-request/proto/operator/v1/submissions';
import type { DeadLetter } from '../../store/dead-letters.ts';

export const toDeadLetterMessage = ({ id, ...letter }: DeadLetter): DeadLetterMessage => ({
  ...letter,
  deadLetterId: id,
});
