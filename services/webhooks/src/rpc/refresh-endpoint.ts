import type { RefreshEndpointRequest, RefreshEndpointResponse } from '@recording-request/proto/webhooks/v1/webhooks';
import type { Context } from '../context.ts';
import { checkEndpoint } from '../workflows/endpoint-monitor.ts';
import { requireUuid } from './require-uuid.ts';

/** Makes the waiting deliveries due at once, at the new address. Does nothing for a project without an endpoint. */
export const refreshEndpoint =
  (context: Context) =>
  async (request: RefreshEndpointRequest, call: { signal: AbortSignal }): Promise<RefreshEndpointResponse> => {
    const projectId = requireUuid(request.projectId, 'projectId');
    if (!(await context.store.endpoints.get(projectId))) return { resumed: false };
    const resumed = await checkEndpoint(context, { projectId }, call.signal);
    if (resumed) context.dispatcher.wake();
    return { resumed };
  };
