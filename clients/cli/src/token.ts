import {
  type api,
  type CallOptions,
  NotFoundError,
  PermissionError,
  type RecordingRequest,
} from '@recording-request/client';
import { EXIT, Failure } from './failures.ts';

/**
 * Returns the owner of the token; undefined if the token lacks the scope to read it. Fails if the service refuses the
 * token, does not answer, or is another service.
 */
export async function checkToken(
  client: RecordingRequest,
  baseUrl: string,
  options: CallOptions,
): Promise<api.CurrentUser | undefined> {
  try {
    return await client.me(options);
  } catch (error) {
    // The token is valid, but lacks the scope to read its owner.
    if (error instanceof PermissionError && error.is('scope_missing')) return undefined;
    if (error instanceof NotFoundError)
      throw new Failure(EXIT.unreachable, `${baseUrl} has no /api/me: it is not the address of the service.`);
    throw error;
  }
}
