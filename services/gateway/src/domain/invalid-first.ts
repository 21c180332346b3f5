import { DomainError } from '@recording-request/kit/errors';

/**
 * The answers of two calls that run at once. If both fail, the fault in the request (400) is reported before what does not
 * exist (404), whichever came first.
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
