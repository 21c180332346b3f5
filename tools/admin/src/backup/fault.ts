import { ConfigError } from '@recording-request/kit/config';
import { storeFault } from '@recording-request/kit-objects/bucket';
import type { ObjectSettings } from '@recording-request/kit-objects/variables';
import { NotDone } from '../run-erase.ts';

const NO_ROOM = ['ENOSPC', 'EDQUOT'];

/**
 * Returns an error with the fault as one sentence: a NotDone, or a ConfigError when the operator must change the
 * settings first. `name` is the name of the backup's place.
 */
export function faultOf(
  error: unknown,
  { settings, name }: { settings: ObjectSettings; name: string },
  sentence: (reason: string) => string,
): Error {
  if (error instanceof NotDone || error instanceof ConfigError) return error;
  const refused = storeFault(error, settings);
  if (refused) return refused;
  const { message, code } = error as Error & { code?: unknown };
  const reason = NO_ROOM.includes(String(code))
    ? `the volume of ${name} is full, make room on it`
    : (message || String(code ?? 'no reason is known')).split('\n')[0]!.replace(/\.$/, '');
  return Object.assign(new NotDone(sentence(reason)), { cause: error });
}
