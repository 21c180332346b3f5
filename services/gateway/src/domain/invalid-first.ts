import { DomainError } from '@recording-request/kit/errors';

/**
 * Returns the results of two calls that run at the same time. If both fail, in any order, throws the fault in the
 * request (400) rather than the missing resource (404).
 */
export async function invalidFirst<A, B>(resource: Promise<A>, answer: Promise<B>): Promise<[A, B]> {
  const [found, answered] = await Promise.allSettled([resource, answer]);
  const invalid =
    answered.status === 'rejected' && answered.reason instanceof DomainError && answered.reason.code === 'invalid';
  if (invalid) throw answered.reason;
  if (found.status === 'rejected') throw found.reason;
  if (answered.status === 'rejected') throw answered.reason;
  return [found.value, answered.value];
}
