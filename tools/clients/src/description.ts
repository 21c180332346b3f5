import { readConfig } from '@recording-request/gateway/config';
import { startService } from '@recording-request/gateway/service';
import { createLogger } from '@recording-request/kit/log';

// The services need not run: the description depends on the code alone.
const NOWHERE = '127.0.0.1:9';
const ENVIRONMENT = {
  HTTP_LISTEN: '127.0.0.1:0',
  HEALTH_LISTEN: '127.0.0.1:0',
  PUBLIC_BASE_URL: 'https://record.example',
  PROJECTS_GRPC: NOWHERE,
  SUBMISSIONS_GRPC: NOWHERE,
  WEBHOOKS_GRPC: NOWHERE,
  SUBMISSIONS_HTTP: `http://${NOWHERE}`,
  INTERNAL_PLAINTEXT: 'true',
};

/** Returns the OpenAPI description that a gateway with default settings serves at https://record.example. */
export async function servedDescription(): Promise<Record<string, unknown>> {
  await using gateway = await startService(readConfig(ENVIRONMENT), createLogger('gateway', 'silent'));
  const answer = await fetch(`${gateway.address}/api/openapi.json`);
  if (!answer.ok) throw new Error(`The gateway answered ${answer.status} to the request of its description.`);
  return (await answer.json()) as Record<string, unknown>;
}
