import { newEvent } from '@recording-request/events/event';
import { connectKafka, type Kafka } from '@recording-request/events/kafka';
import { DomainError } from '@recording-request/kit/errors';
import { createClient } from '@recording-request/kit/grpc-client';
import { type GrpcServer, type Handlers, implement, startGrpcServer } from '@recording-request/kit/grpc-server';
import { uuidv7 } from '@recording-request/kit/ids';
import { connectMongo } from '@recording-request/kit/mongo';
import type { Event } from '@recording-request/proto/events/v1/events';
import {
  type WebhooksOperatorServiceServer,
  WebhooksOperatorServiceService,
} from '@recording-request/proto/operator/v1/webhooks';
import {
  type GetWebhookTargetResponse,
  type ProjectsServiceServer,
  ProjectsServiceService,
} from '@recording-request/proto/projects/v1/projects';
import { MediaStatus, type Submission, TranscriptStatus } from '@recording-request/proto/submissions/v1/submissions';
import {
  type Delivery,
  type WebhooksServiceServer,
  WebhooksServiceService,
} from '@recording-request/proto/webhooks/v1/webhooks';
import { testEnvironment } from '@recording-request/testing/environment';
import { pino } from 'pino';
import { readConfig } from '../src/config.ts';
import { startService, type WebhooksService } from '../src/service.ts';

/** What the tests shorten. */
const SHORT = {
  PUBLIC_BASE_URL: 'https://videos.example',
  ALLOW_HTTP_URLS: 'true',
  WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
  WEBHOOK_ATTEMPT_TIMEOUT_MS: '15000',
  WEBHOOK_RETRY_SCHEDULE_SECONDS: '0.2,0.4',
  WEBHOOK_LEASE_MARGIN_MS: '3000',
  WEBHOOK_PAUSED_CHECK_MS: '200',
  WEBHOOK_POLL_MS: '200',
};

/** A real projects server (of one RPC), Kafka, MongoDB, and the service as it runs in production. */
export async function startHarness(extra: Record<string, string> = {}) {
  const targets = new Map<string, GetWebhookTargetResponse>();
  const projects = await startProjects(targets);
  const { env } = testEnvironment({ ...SHORT, PROJECTS_GRPC: projects.address, ...extra });
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: line => void lines.push(line) });
  const config = readConfig(env);
  const services = new Set<WebhooksService>();
  const start = async () => {
    const service = await startService(config, log);
    services.add(service);
    return service;
  };
  const service = await start();
  const webhooks = createClient<WebhooksServiceServer>(WebhooksServiceService, service.grpcAddress, {
    deadlineMs: 20_000,
  });
  const operator = createClient<WebhooksOperatorServiceServer>(WebhooksOperatorServiceService, service.grpcAddress, {
    deadlineMs: 20_000,
  });
  const kafka = await connectKafka(config, { clientId: 'test', log });
  const mongo = await connectMongo(config, 'webhooks');

  return {
    env,
    config,
    targets,
    service,
    webhooks,
    operator,
    kafka,
    mongo,
    /** What the service logged, a JSON line each. */
    lines,
    startAnother: start,
    /** A project whose events go to `url`. Called again: the address is set again. */
    setTarget(projectId: string, url: string, secrets: string[] = []) {
      const version = (targets.get(projectId)?.targetVersion ?? 0) + 1;
      targets.set(projectId, { projectName: 'Voices', webhookUrl: url, secrets, targetVersion: version });
    },
    async delivery(projectId: string, id: string): Promise<Delivery | undefined> {
      const { deliveries } = await webhooks.listDeliveries({ projectId, pageSize: 100, cursor: '' });
      return deliveries.find(delivery => delivery.deliveryId === id);
    },
    async stop() {
      webhooks.close();
      operator.close();
      await kafka.close();
      await Promise.all([...services].map(each => each.stop()));
      await mongo.dropDatabase();
      await mongo.close();
      await projects.close(0);
    },
  };
}

export type Harness = Awaited<ReturnType<typeof startHarness>>;

async function startProjects(targets: Map<string, GetWebhookTargetResponse>): Promise<GrpcServer> {
  const others = new Proxy({} as Handlers<ProjectsServiceServer>, {
    get: (_, name) => async () => {
      throw new DomainError('internal', `${String(name)} is not served in this test`);
    },
  });
  const handlers = new Proxy(others, {
    get: (inner, name) =>
      name !== 'getWebhookTarget'
        ? inner[name as keyof typeof inner]
        : async ({ projectId }: { projectId: string }) => {
            const target = targets.get(projectId);
            if (!target) throw new DomainError('not_found', 'There is no such project.');
            return target;
          },
  });
  return startGrpcServer({
    listen: '127.0.0.1:0',
    services: [implement<ProjectsServiceServer>(ProjectsServiceService, handlers)],
    log: pino({ level: 'silent' }),
  });
}

export function submission(projectId: string, fields: Partial<Submission> = {}): Submission {
  return {
    submissionId: uuidv7(),
    videoId: uuidv7(),
    linkId: uuidv7(),
    projectId,
    ownerId: uuidv7(),
    createdAt: new Date(),
    durationSec: 12.4,
    fileSize: 1_000,
    mimeType: 'video/webm',
    selected: false,
    transcriptStatus: TranscriptStatus.TRANSCRIPT_STATUS_PENDING,
    hasThumbnails: false,
    hasAudio: true,
    mediaStatus: MediaStatus.MEDIA_STATUS_PROCESSING,
    incomplete: false,
    sha256: 'ab'.repeat(32),
    ...fields,
  };
}

export const completed = (of: Submission): Event =>
  newEvent('submission.completed', { $case: 'submissionCompleted', value: { submission: of } });

export async function publishAll(kafka: Kafka, events: Event[]): Promise<void> {
  await Promise.all(events.map(event => kafka.publish(event)));
}

/** `look` again and again until it gives something, within `limitMs`. */
export async function eventually<T>(look: () => Promise<T | undefined | false>, limitMs = 20_000): Promise<T> {
  const until = Date.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > until) throw new Error(`not seen within ${limitMs} ms: ${look}`);
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}
