import type { DashboardEndpointJson } from '@recording-request/contract/resources/dashboard';
import type { ProjectDetailJson } from '@recording-request/contract/resources/project';
import { render } from 'preact';
import { endpointNotice } from '../components/endpoint-notice.ts';
import { Poller } from './api.ts';
import { elements } from './elements.ts';

const poller = new Poller();

function paint(endpoint: DashboardEndpointJson['endpoint']): void {
  const notice = endpointNotice(endpoint);
  render(notice, elements.endpoint);
  elements.endpoint.hidden = !notice;
}

/** Shows a notice while the project's endpoint fails or is paused. A failed request leaves the notice as it is. */
export async function lookAtEndpoint({ webhookEnabled }: ProjectDetailJson): Promise<void> {
  if (!webhookEnabled) {
    poller.forget();
    return paint(null);
  }
  try {
    const received = await poller.poll<DashboardEndpointJson>('/webhook-endpoint');
    if (received) paint(received.endpoint);
  } catch {
    // Ignores the error, because the poll of the figures reports that the service does not respond.
  }
}
