import { isUuid } from '@recording-request/kit/ids';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** One line a request, with its route's pattern: the address itself may carry a token. */
export function installRequestLog(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    const { url } = request.routeOptions;
    if (url === '/healthz') return;
    const about = {
      method: request.method,
      route: url ?? 'none',
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      ...subjectsOf(request),
    };
    if (reply.statusCode >= 500) request.log.warn(about, 'answered');
    else request.log.info(about, 'answered');
  });
  app.addHook('onRequestAbort', async request => {
    const about = { method: request.method, route: request.routeOptions.url ?? 'none', ...subjectsOf(request) };
    request.log.info(about, 'the client went away');
  });
}

/** The ids that a request is about. What is no id is left out: a token may have been pasted in its place. */
function subjectsOf({ owner, dashboard, recipient, params }: FastifyRequest) {
  const { projectId, submissionId, uploadId } = (params ?? {}) as Record<string, string | undefined>;
  const project = dashboard ?? recipient;
  const idOf = (text: string | undefined) => (text && isUuid(text) ? text : undefined);
  return {
    ownerId: owner?.userId ?? project?.ownerId,
    projectId: project?.projectId ?? idOf(projectId),
    submissionId: idOf(submissionId),
    uploadId: idOf(uploadId),
  };
}
