import { bounded } from '@recording-request/kit/bounds';
import { StartError } from '@recording-request/kit/config';
import type { RoleCredentials, RoleSource } from './role-source.ts';

/** The role has no credentials now. The error's code means an outage of the store, so callers retry the work. */
export class RoleUnavailableError extends Error {
  readonly code = 'ServiceUnavailable';
}

// Credentials are renewed this long before they expire, so that a presigned address is valid for at least this long.
const RENEW_MS = 5 * 60_000;
const LIMIT_MS = 10_000;
// Without this pause, each request of a service would repeat a request for credentials that has just failed.
const PAUSE_MS = 5_000;

/**
 * Returns a function that returns the role's credentials. It requests them at the first call and renews them while they
 * are still valid. It fails within ten seconds: with a StartError if the first request is refused, otherwise with a
 * RoleUnavailableError.
 */
export function roleCredentials(source: RoleSource, now = Date.now): () => Promise<RoleCredentials> {
  let held: RoleCredentials | undefined;
  let asking: Promise<RoleCredentials> | undefined;
  let isAsking = false;
  let endedAt = Number.NEGATIVE_INFINITY;
  const leftMs = () => (held ? (held.expiration?.getTime() ?? Number.POSITIVE_INFINITY) - now() : 0);

  async function ask(): Promise<RoleCredentials> {
    isAsking = true;
    try {
      held = await bounded(source.request(), LIMIT_MS, 'the request for credentials');
      return held;
    } catch (error) {
      const reason = reasonOf(error);
      // A refusal after the first success is not a StartError: an operator may correct the mistake while the service
      // runs.
      if (!held && source.isRefusal(error)) throw new StartError(source.refused(reason));
      throw new RoleUnavailableError(`the role of S3_CREDENTIALS has no credentials now: ${reason}`);
    } finally {
      isAsking = false;
      endedAt = now();
    }
  }

  return async () => {
    if (held && leftMs() > RENEW_MS) return held;
    if (!asking || (!isAsking && now() - endedAt >= PAUSE_MS)) {
      asking = ask();
      asking.catch(() => {});
    }
    return held && leftMs() > 0 ? held : await asking;
  };
}

/** Returns the role's error if the client wrapped one, otherwise the error itself. */
export function unwrapped(error: unknown): unknown {
  const { cause } = (error ?? {}) as { cause?: unknown };
  return cause instanceof RoleUnavailableError || cause instanceof StartError ? cause : error;
}

/** Returns the name and the first line of an error. It omits the error's other fields, which may be whole responses. */
function reasonOf(error: unknown): string {
  const { name, message } = error as Error;
  const [line = ''] = message.split('\n');
  return (/^(Error|CredentialsProviderError)$/.test(name) ? line : `${name}: ${line}`).replace(/\.$/, '');
}
