import assert from 'node:assert/strict';
import { isErrorReason } from '@recording-request/contract/error-codes';

/** Returns the sentence of an error, and checks the form that every error has. */
export async function errorOf(response: Response): Promise<string> {
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
  const body = (await response.json()) as Record<string, unknown>;
  assert.deepEqual(Object.keys(body), ['error']);
  assert.ok(isErrorReason(response.headers.get('error-code') ?? ''), `${response.url}: a listed Error-Code`);
  assert.match(response.headers.get('request-id') ?? '', /^[0-9a-f]{32}$/);
  return body.error as string;
}
