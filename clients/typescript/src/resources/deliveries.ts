import { Resource } from '../api.ts';
import { path } from '../path.ts';
import type { CallOptions } from '../transport.ts';
import type * as api from '../types.gen.ts';
import { sign, unwrap } from '../webhooks.ts';

/** The webhooks of a project: their verification, deliveries, test events and repeated deliveries. */
export class Webhooks extends Resource {
  /** Verifies a webhook and returns its event; the same as `webhooks.unwrap` of this package. */
  readonly unwrap: typeof unwrap = unwrap;
  /** Returns the headers of a signed webhook. */
  readonly sign: typeof sign = sign;

  /** Lists the deliveries, newest first. The state of the endpoint is in the `body` of each page. */
  deliveries(projectId: string, query: api.ListWebhookDeliveriesData['query'] = {}, options?: CallOptions) {
    const itemsOf = (body: api.WebhookDeliveriesPage) => body.deliveries;
    return this.api.list(path`/api/projects/${projectId}/webhook-deliveries`, query, itemsOf, options);
  }

  /** Sends one event again. */
  redeliver(projectId: string, deliveryId: string, options?: CallOptions): Promise<api.WebhookDelivery> {
    const address = path`/api/projects/${projectId}/webhook-deliveries/${deliveryId}/redeliver`;
    return this.api.post(address, undefined, options);
  }

  /** Sends all events of a project again, or only the events of a time range. */
  redeliverAll(
    projectId: string,
    body: NonNullable<api.RedeliverWebhooksData['body']> = {},
    options?: CallOptions,
  ): Promise<api.WebhookRedelivery> {
    return this.api.post(path`/api/projects/${projectId}/webhook-deliveries/redeliver`, body, options);
  }

  /** Sends a test event at once and returns the outcome. A repeated attempt may send it twice. */
  test(projectId: string, body?: api.TestWebhookData['body'], options?: CallOptions): Promise<api.WebhookDelivery> {
    return this.api.post(path`/api/projects/${projectId}/webhook-test`, body, options);
  }
}
