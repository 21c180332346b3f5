import { DomainError } from '@recording-request/kit/errors';
import { isUuid } from '@recording-request/kit/ids';

/** `value` as it is, or `invalid` with a sentence that names the field. */
export function uuid(value: string, field: string): string {
  if (!isUuid(value)) throw new DomainError('invalid', `${field} must be a UUID.`);
  return value.toLowerCase();
}
