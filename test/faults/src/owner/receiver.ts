import { createHmac, timingSafeEqual } from 'node:crypto';
import type { WebhookBodyJson } from '@recording-request/contract/webhook';
import { type ReceivedRequest, startReceiver } from '@recording-request/harness/webhook-receiver';
import { Webhook } from 'standardwebhooks';

/** One event as the owner's endpoint received it. */
export interface Delivered {
  id: string;
  type: string;
  projectId: string;
  submissionId: string | undefined;
  /** The time of the event, from its body. */
  at: Date;
  times: number;
}

/** The owner's webhook endpoint: verifies signatures and counts deliveries by event id. */
export interface Receiver extends AsyncDisposable {
  url: string;
  /** The events by id, in the order of their first acceptance. */
  readonly events: Map<string, Delivered>;
  /** The bodies by event id. */
  readonly bodies: ReadonlyMap<string, string>;
  /** Bad deliveries: with a wrong signature, or with the id of another body. */
  readonly violations: string[];
  /** Returns the status of each HTTP response; 204 when undefined. */
  answer: ((event: ReceivedRequest) => number) | undefined;
}

/** Starts the receiver on `host`. `secretsOf` returns the possible webhook secrets of a project. */
export async function openReceiver(secretsOf: (projectId: string) => string[], host?: string): Promise<Receiver> {
  const events = new Map<string, Delivered>();
  const bodies = new Map<string, string>();
  const violations: string[] = [];
  const take = (received: ReceivedRequest): number => {
    const status = receiver.answer?.(received) ?? 204;
    const body = received.body.toString('utf8');
    const { id, type, createdAt, data } = JSON.parse(body) as WebhookBodyJson;
    const faults = secretsOf(data.projectId).map(secret => signatureFault(received, secret));
    const fault = faults.length > 0 ? faults.every(Boolean) && faults[0] : 'an unknown project';
    if (fault) violations.push(`a webhook (${type}, ${id}) with ${fault}`);
    if (bodies.has(id) && bodies.get(id) !== body) violations.push(`event ${id} arrived with two different bodies`);
    bodies.set(id, body);
    if (status < 300) {
      const { submission, projectId } = data;
      const { submissionId } = submission ?? {};
      const known = events.get(id) ?? { id, type, projectId, submissionId, at: new Date(createdAt), times: 0 };
      events.set(id, { ...known, times: known.times + 1 });
    }
    return status;
  };
  const endpoint = await startReceiver(host ? { host } : {});
  endpoint.respond = (request, response) => response.writeHead(take(request)).end();
  const receiver: Receiver = {
    url: endpoint.url,
    events,
    bodies,
    violations,
    answer: undefined,
    [Symbol.asyncDispose]: () => endpoint[Symbol.asyncDispose](),
  };
  return receiver;
}

/** Returns the fault of the two signatures (of the contract and of Standard Webhooks), or undefined. */
function signatureFault({ headers, body }: ReceivedRequest, secret: string): string | undefined {
  const own = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const theirs = Buffer.from(String(headers['service-signature']));
  if (own.length !== theirs.length || !timingSafeEqual(own, theirs)) return 'a wrong service-signature';
  try {
    new Webhook(secret).verify(body.toString('utf8'), headers as Record<string, string>);
    return undefined;
  } catch (error) {
    return `a webhook-signature that does not verify (${(error as Error).message})`;
  }
}
