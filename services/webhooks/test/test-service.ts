import { newEvent } from '@recording-request/events/event';
import type { Kafka } from '@recording-request/events/kafka';
import { DomainError } from '@recording-request/kit/errors';
import { uuidv7 } from '@recording-request/kit/ids';
import { createSecretBox } from '@recording-request/kit/secret-box';
import type { Event } from '@recording-request/proto/events/v1/events';
import {
  type WebhooksOperatorServiceServer,
  WebhooksOperatorServiceService,
} from '@recording-request/proto/operator/v1/webhooks';
import {
  type GetEventLinkResponse,
  type GetWebhookTargetResponse,
  type Invitation,
  type ProjectsServiceServer,
  ProjectsServiceService,
} from '@recording-request/proto/projects/v1/projects';
import {
  MediaStatus,
  type Submission,
  type SubmissionsServiceServer,
  SubmissionsServiceService,
  TranscriptStatus,
} from '@recording-request/proto/submissions/v1/submissions';
import {
  type Delivery,
  type WebhooksServiceServer,
  WebhooksServiceService,
} from '@recording-request/proto/webhooks/v1/webhooks';
import { fakeService, startFakeServices } from '@recording-request/testing/fake-services';
import { openTestCallers } from '@recording-request/testing/test-callers';
import { startTestService } from '@recording-request/testing/test-service';
import { pino } from 'pino';
import { readConfig } from '../src/config.ts';
import { sealedFor } from '../src/domain/sealing.ts';
import { migrate } from '../src/migrate.ts';
import { startService } from '../src/service.ts';

/** Shorter times, for the tests. */
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

/**
 * Starts the service as in production, with fakes of other services. The fakes answer from `targets` and `submissions`.
 */
export async function startTestWebhooks(extra: Record<string, string> = {}) {
  await using starting = new AsyncDisposableStack();
  const targets = new Map<string, GetWebhookTargetResponse>();
  const submissions = new Map<string, Submission>();
  /** The invitations by link. While `invitations.fail` is true, the RPC fails. */
  const invitations = { of: new Map<string, Invitation>(), fail: false, calls: 0 };
  const links = new Map<string, GetEventLinkResponse>();
  const projects = await startFakeServices([
    fakeService<ProjectsServiceServer>(ProjectsServiceService, () => ({
      async getWebhookTarget({ projectId }) {
        const target = targets.get(projectId);
        if (!target) throw new DomainError('not_found', 'There is no such project.');
        return target;
      },
      async getInvitations({ origins }) {
        invitations.calls += 1;
        if (invitations.fail) throw new DomainError('unavailable', 'The test fails this call.');
        return { invitations: origins.map(({ linkId }) => invitations.of.get(linkId) ?? { metadata: {} }) };
      },
      async getEventLink({ linkId, responseSessionId }) {
        if (responseSessionId)
          throw new DomainError('invalid', 'An event about a link has no reference of a response.');
        const link = links.get(linkId);
        if (!link) throw new DomainError('not_found', 'There is no such recording link.');
        return link;
      },
    })),
    fakeService<SubmissionsServiceServer>(SubmissionsServiceService, () => ({
      async getSubmission({ submissionId }) {
        const found = submissions.get(submissionId);
        if (!found) throw new DomainError('not_found', 'There is no such submission in this project.');
        return { submission: found };
      },
    })),
  ]);
  starting.defer(() => projects.close(0));
  const lines: string[] = [];
  const running = starting.use(
    await startTestService({
      name: 'webhooks',
      readConfig,
      startService,
      migrate,
      env: { ...SHORT, PROJECTS_GRPC: projects.address, SUBMISSIONS_GRPC: projects.address, ...extra },
      log: pino({ level: 'trace' }, { write: line => void lines.push(line) }),
      deadlineMs: 20_000,
    }),
  );
  const webhooks = running.client<WebhooksServiceServer>(WebhooksServiceService);
  const operator = running.client<WebhooksOperatorServiceServer>(WebhooksOperatorServiceService);
  const kafka = await running.stores.kafka();
  const mongo = await running.stores.database('webhooks');
  const secrets = createSecretBox(running.config.secretsKey);
  const started = starting.move();

  return {
    env: running.environment.env,
    config: running.config,
    log: running.log,
    targets,
    submissions,
    invitations,
    links,
    service: running.service,
    webhooks,
    operator,
    kafka,
    mongo,
    secrets,
    /** Returns the opened bodies of all deliveries. */
    async bodies(): Promise<string[]> {
      const rows = await mongo.collection<{ _id: string; sealedBody?: string }>('deliveries').find().toArray();
      return rows.flatMap(({ _id, sealedBody }) =>
        sealedBody ? secrets.open(sealedBody, sealedFor.delivery(_id)).toString() : [],
      );
    },
    /** The service's log, one JSON line per entry. */
    lines,
    startAnother: running.startAnother,
    /** Starts a replica with these keys, and returns its clients. */
    async startWith(secretsKey: string, secretsKeysLost: string[] = []) {
      await using opened = new AsyncDisposableStack();
      const service = opened.use(await startService({ ...running.config, secretsKey, secretsKeysLost }, running.log));
      const { grpcAddress: services, operatorAddress } = service;
      const callers = opened.use(await openTestCallers(running.environment.env));
      const clientOf = <S>(definition: object) =>
        opened.adopt(callers.client<S>(definition, 'webhooks', { services, operator: operatorAddress }), client =>
          client.close(),
        );
      const webhooks = clientOf<WebhooksServiceServer>(WebhooksServiceService);
      const operator = clientOf<WebhooksOperatorServiceServer>(WebhooksOperatorServiceService);
      const parts = opened.move();
      return { webhooks, operator, [Symbol.asyncDispose]: () => parts.disposeAsync() };
    },
    /** Sets the address of a project's events to `url`. A repeated call sets the address again. */
    setTarget(projectId: string, url: string, secrets: string[] = [], events: string[] = [], ownerId = projectId) {
      const targetVersion = (targets.get(projectId)?.targetVersion ?? 0) + 1;
      targets.set(projectId, { projectName: 'Voices', webhookUrl: url, secrets, targetVersion, events, ownerId });
    },
    async delivery(projectId: string, id: string): Promise<Delivery | undefined> {
      const { deliveries } = await webhooks.listDeliveries({ projectId, pageSize: 100, cursor: '' });
      return deliveries.find(delivery => delivery.deliveryId === id);
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

export type TestWebhooks = Awaited<ReturnType<typeof startTestWebhooks>>;

export function submission(projectId: string, fields: Partial<Submission> = {}): Submission {
  return {
    submissionId: uuidv7(),
    videoId: uuidv7(),
    linkId: uuidv7(),
    responseId: uuidv7(),
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
