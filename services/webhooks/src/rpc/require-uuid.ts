import { DomainError } from '@recording-request/kit/errors';
import { isUuid } from '@recording-request/kit/ids';

/** Returns `value` in lower case. Fails with `invalid` when it is not a UUID; the error names the field. */
export function requireUuid(value: string, field: string): string {
  if (!isUuid(value)) throw new DomainError('invalid', `${field} must be a UUID.`);
  return value.toLowerCase();
}
