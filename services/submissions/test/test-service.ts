import { randomUUID } from 'node:crypto';
import { createUpload } from '@recording-request/harness/tus';
import { readConfig as readMediaConfig } from '@recording-request/media/config';
import { startService as startMedia } from '@recording-request/media/service';
import { readConfig as readProjectsConfig } from '@recording-request/projects/config';
import { migrate as migrateProjects } from '@recording-request/projects/migrate';
import { startService as startProjects } from '@recording-request/projects/service';
import { type MediaServiceServer, MediaServiceService } from '@recording-request/proto/media/v1/media';
import {
  type ProjectsOperatorServiceServer,
  ProjectsOperatorServiceService,
} from '@recording-request/proto/operator/v1/projects';
import {
  type SubmissionsOperatorServiceServer,
  SubmissionsOperatorServiceService,
} from '@recording-request/proto/operator/v1/submissions';
import { type ProjectsServiceServer, ProjectsServiceService } from '@recording-request/proto/projects/v1/projects';
import {
  type SubmissionsServiceServer,
  SubmissionsServiceService,
} from '@recording-request/proto/submissions/v1/submissions';
import { freePort } from '@recording-request/stack/ports';
import { type TestClip, testClip } from '@recording-request/testing/clip';
import { testEnvironment } from '@recording-request/testing/environment';
import { startPlainProxy } from '@recording-request/testing/internal-http';
import { projectSettings } from '@recording-request/testing/project-settings';
import { startTestService } from '@recording-request/testing/test-service';
import { Upload } from 'tus-js-client';
import { readConfig } from '../src/config.ts';
import { migrate } from '../src/migrate.ts';
import { startService } from '../src/service.ts';

// An erasure sends dozens of requests to the store. On a busy machine this takes longer than the default deadline.
const DEADLINE_MS = 60_000;

/**
 * Starts the service under test and the real services next to it, with separate databases and topics and a separate
 * bucket.
 */
export async function startTestSubmissions(extra: Record<string, string> = {}) {
  const environment = testEnvironment({
    PUBLIC_BASE_URL: 'http://owner.test',
    SWEEP_SECONDS: '1',
    LANDING_ANSWER_SECONDS: '60',
    ...extra,
  });
  const common = { environment, deadlineMs: DEADLINE_MS };
  await using starting = new AsyncDisposableStack();
  const projectsService = starting.use(
    await startTestService({
      ...common,
      name: 'projects',
      readConfig: readProjectsConfig,
      startService: startProjects,
      migrate: migrateProjects,
    }),
  );
  // Submissions and media call each other, so one of the two addresses must be chosen before its service starts.
  const grpcListen = `127.0.0.1:${await freePort()}`;
  const mediaService = starting.use(
    await startTestService({
      ...{ ...common, name: 'media', readConfig: readMediaConfig, startService: startMedia },
      env: { SUBMISSIONS_GRPC: grpcListen },
    }),
  );
  const env = {
    PROJECTS_GRPC: projectsService.service.grpcAddress,
    MEDIA_GRPC: mediaService.service.grpcAddress,
    GRPC_LISTEN: grpcListen,
  };
  const running = starting.use(
    await startTestService({ ...common, name: 'submissions', readConfig, startService, migrate, env }),
  );
  const { config, log, service, stores } = running;
  const uploadProxy = starting.use(await startPlainProxy(service.httpAddress, 'gateway', 'submissions'));
  const projects = projectsService.client<ProjectsServiceServer>(ProjectsServiceService);
  const owners = projectsService.client<ProjectsOperatorServiceServer>(ProjectsOperatorServiceService);
  const connection = await stores.database('submissions');
  const newOwner = async () => (await owners.createUser({ userName: 'owner', videoLimit: undefined })).user!.userId;
  const ownerId = await newOwner();
  const started = starting.move();
  return {
    config,
    log,
    stores,
    env: environment.env,
    ownerId,
    newOwner,
    projects,
    submissions: running.client<SubmissionsServiceServer>(SubmissionsServiceService),
    operator: running.client<SubmissionsOperatorServiceServer>(SubmissionsOperatorServiceService),
    media: mediaService.client<MediaServiceServer>(MediaServiceService),
    connection,
    client: running.client as typeof running.client,
    stop: () => service.stop(),
    /** The address for uploads. It belongs to a proxy that authenticates as the gateway. */
    uploadsUrl: `${uploadProxy.url}/uploads`,
    uploads: connection.db!.collection<{ _id: string } & Record<string, unknown>>('uploads'),
    landed: connection.db!.collection<{ _id: string } & Record<string, unknown>>('submissions'),
    objects: stores.objects(),
    async project(
      settings: Partial<{ interviewQuestions: string[]; maxDurationSec: number; noteEnabled: boolean }> = {},
      of = ownerId,
    ) {
      const created = await projects.createProject({
        ownerId: of,
        count: 3,
        webhookSecret: '',
        idempotencyKey: '',
        bodyHash: Buffer.alloc(0),
        expiresInSeconds: 3600,
        settings: projectSettings({ maxDurationSec: 60, noteEnabled: true, ...settings }),
      });
      return { projectId: created.project!.projectId, links: created.uniqueLinks };
    },
    async begin(projectId: string, linkId: string, of = ownerId) {
      const { response } = await projects.beginResponse({
        linkId,
        projectId,
        responseSessionId: randomUUID(),
        termsAccepted: false,
      });
      const headers = { 'x-link-id': linkId, 'x-project-id': projectId, 'x-owner-id': of };
      return { responseSessionId: response!.responseSessionId, headers };
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

export type TestSubmissions = Awaited<ReturnType<typeof startTestSubmissions>>;

export const speech = (seconds?: number): Promise<TestClip> =>
  testClip({ container: 'webm', text: 'hello this is my answer', seconds });

/** Creates an upload of a response. */
export const create = (
  harness: TestSubmissions,
  begun: { responseSessionId: string; headers: Record<string, string> },
  { fields, ...options }: { length?: number; fields?: Record<string, string>; body?: Buffer } = {},
) =>
  createUpload(harness.uploadsUrl, {
    ...options,
    headers: begun.headers,
    metadata: { responseSessionId: begun.responseSessionId, filetype: 'video/webm', ...fields },
  });

/** Sends bytes with the tus client for browsers. Resolves to the body of the last answer. */
export function send(
  harness: TestSubmissions,
  begun: { responseSessionId: string; headers: Record<string, string> },
  body: Buffer,
  chunkSize = 64 * 1024,
): Promise<{ submissionId: string; complete: boolean }> {
  return new Promise((resolve, reject) => {
    new Upload(body as never, {
      endpoint: harness.uploadsUrl,
      chunkSize,
      retryDelays: [0, 100, 500],
      metadata: { responseSessionId: begun.responseSessionId, filetype: 'video/webm' },
      headers: begun.headers,
      onError: reject,
      onSuccess: ({ lastResponse }) => resolve(JSON.parse(lastResponse.getBody() || '{}')),
    }).start();
  });
}
