import { ConfigError } from '@recording-request/kit/config';
import { NotDone } from '../run-erase.ts';

/** The fault as a NotDone with one sentence, unless it has one already. */
export function faultOf(error: unknown, sentence: (reason: string) => string): Error {
  if (error instanceof NotDone || error instanceof ConfigError) return error;
  const { message, code } = error as Error & { code?: unknown };
  const reason = message || String(code ?? 'no reason is known');
  return Object.assign(new NotDone(sentence(reason.split('\n')[0]!.replace(/\.$/, ''))), { cause: error });
}
