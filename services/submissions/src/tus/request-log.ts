import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '@recording-request/kit/log';
import { whenClosed } from '@recording-request/kit-telemetry/http-requests';
import { idsOf } from '@recording-request/kit-telemetry/subject';
import { UPLOADS_PATH } from './hooks.ts';

/**
 * Logs one line when the request ends, with or without a response. Returns a function that records the error that ended
 * the request.
 */
export function logRequest(log: Logger, request: IncomingMessage, response: ServerResponse): (err: unknown) => void {
  const startedAt = performance.now();
  const { method, url = '', headers } = request;
  let failure: { err: unknown } | undefined;
  whenClosed(response, () => {
    if (url === '/healthz') return;
    const isAnswered = response.writableFinished;
    const about = {
      method,
      route: method === 'POST' ? UPLOADS_PATH : `${UPLOADS_PATH}/{uploadId}`,
      ...(isAnswered && { status: response.statusCode }),
      ms: Math.round(performance.now() - startedAt),
      ...idsOf({
        projectId: headers['x-project-id'],
        uploadId: method === 'POST' ? headers['x-upload-id'] : url.split(/[?/]/)[2],
      }),
      ...failure,
    };
    // A body that stopped before its end is not a server error, because its client resumes later.
    const isAway = response.statusCode >= 500 && response.getHeader('error-code') !== 'upload_incomplete';
    log[failure || (isAnswered && isAway) ? 'warn' : 'info'](
      about,
      isAnswered ? 'answered' : 'the gateway closed the connection before the answer',
    );
  });
  return err => {
    failure = { err };
  };
}
