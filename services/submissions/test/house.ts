import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clip, makeClip } from '@recording-request/fixtures/clip';
import { createClient } from '@recording-request/kit/grpc-client';
import { createLogger } from '@recording-request/kit/log';
import { connectMongo } from '@recording-request/kit/mongo';
import { createObjects } from '@recording-request/kit/objects';
import { readConfig as readMediaConfig } from '@recording-request/media/config';
import { startService as startMedia } from '@recording-request/media/service';
import { readConfig as readProjectsConfig } from '@recording-request/projects/config';
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
import { testEnvironment } from '@recording-request/testing/environment';
import { Upload } from 'tus-js-client';
import { readConfig } from '../src/config.ts';
import { startService } from '../src/service.ts';

export const CLIPS = join(tmpdir(), 'recording-request-clips');

// On a busy machine an erasure, which asks the store dozens of times, takes longer than a caller waits by default.
const PATIENT = { deadlineMs: 60_000 };

/** The service under test with its real neighbours, on databases, topics and a bucket of its own. */
export async function openHouse(extra: Record<string, string> = {}) {
  const { env: base } = testEnvironment({
    PUBLIC_BASE_URL: 'http://owner.test',
    SWEEP_SECONDS: '1',
    LANDING_ANSWER_SECONDS: '60',
    ...extra,
  });
  const log = createLogger('test', base.LOG_LEVEL!);
  const projectsService = await startProjects(readProjectsConfig(base), log);
  const mediaService = await startMedia(readMediaConfig(base), log);
  const env = { ...base, PROJECTS_GRPC: projectsService.grpcAddress, MEDIA_GRPC: mediaService.grpcAddress };
  const config = readConfig(env);
  const service = await startService(config, log);
  const owners = createClient<ProjectsOperatorServiceServer>(
    ProjectsOperatorServiceService,
    projectsService.grpcAddress,
    PATIENT,
  );
  const operator = createClient<SubmissionsOperatorServiceServer>(
    SubmissionsOperatorServiceService,
    service.grpcAddress,
    PATIENT,
  );
  const projects = createClient<ProjectsServiceServer>(ProjectsServiceService, projectsService.grpcAddress, PATIENT);
  const submissions = createClient<SubmissionsServiceServer>(SubmissionsServiceService, service.grpcAddress, PATIENT);
  const media = createClient<MediaServiceServer>(MediaServiceService, mediaService.grpcAddress, PATIENT);
  const connection = await connectMongo(config, 'submissions');
  const { user } = await owners.createUser({ userName: 'owner', videoLimit: undefined });
  const ownerId = user!.userId;
  return {
    config,
    log,
    ownerId,
    projects,
    submissions,
    operator,
    media,
    connection,
    grpcAddress: service.grpcAddress,
    uploadsUrl: `http://${service.httpAddress}/uploads`,
    uploads: connection.db!.collection<{ _id: string } & Record<string, unknown>>('uploads'),
    landed: connection.db!.collection<{ _id: string } & Record<string, unknown>>('submissions'),
    objects: createObjects(config),
    async project(settings: Partial<{ interviewQuestions: string[]; maxDurationSec: number }> = {}) {
      const created = await projects.createProject({
        ownerId,
        count: 3,
        webhookSecret: '',
        idempotencyKey: '',
        bodyHash: Buffer.alloc(0),
        expiresInSeconds: 3600,
        settings: {
          projectName: 'Voices',
          maxDurationSec: 60,
          transcriptionEnabled: false,
          noteEnabled: true,
          requestUrl: '',
          webhookUrl: '',
          requireTerms: false,
          termsLabel: '',
          termsText: '',
          interviewQuestions: [],
          showSuccessDialog: false,
          successMessage: '',
          sharedLinkEnabled: false,
          sharedLinkMaxUses: undefined,
          ...settings,
        },
      });
      return { projectId: created.project!.projectId, links: created.uniqueLinks };
    },
    async begin(projectId: string, linkId: string) {
      const { response } = await projects.beginResponse({
        linkId,
        responseSessionId: randomUUID(),
        termsAccepted: false,
      });
      const headers = { 'x-link-id': linkId, 'x-project-id': projectId, 'x-owner-id': ownerId };
      return { responseSessionId: response!.responseSessionId, headers };
    },
    async [Symbol.asyncDispose]() {
      await service.stop();
      await mediaService.stop();
      owners.close();
      operator.close();
      projects.close();
      media.close();
      submissions.close();
      await projectsService.stop();
      await connection.dropDatabase();
      await connection.close();
    },
  };
}

export type House = Awaited<ReturnType<typeof openHouse>>;

export const speech = (seconds?: number): Promise<Clip> =>
  makeClip({ dir: CLIPS, container: 'webm', text: 'hello this is my answer', seconds });

export const bytesOf = async (clip: Clip): Promise<Buffer> => await readFile(clip.path);

/** One request of the protocol, without a client that hides what happens. */
export function tus(url: string, method: string, headers: Record<string, string>, body?: Buffer): Promise<Response> {
  return fetch(url, {
    method,
    headers: {
      'Tus-Resumable': '1.0.0',
      ...(method === 'PATCH' ? { 'Content-Type': 'application/offset+octet-stream' } : {}),
      ...headers,
    },
    body: body && new Uint8Array(body),
    signal: AbortSignal.timeout(90_000),
  });
}

export const metadata = (fields: Record<string, string>): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',');

/** Creates an upload; the answer's Location is made absolute. */
export async function create(
  house: House,
  begun: { responseSessionId: string; headers: Record<string, string> },
  options: { length?: number; fields?: Record<string, string>; body?: Buffer } = {},
): Promise<{ response: Response; url: string; id: string }> {
  const { length, fields, body } = options;
  const response = await tus(
    house.uploadsUrl,
    'POST',
    {
      ...begun.headers,
      ...(length === undefined ? { 'Upload-Defer-Length': '1' } : { 'Upload-Length': String(length) }),
      ...(body ? { 'Content-Type': 'application/offset+octet-stream' } : {}),
      'Upload-Metadata': metadata({ responseSessionId: begun.responseSessionId, filetype: 'video/webm', ...fields }),
    },
    body,
  );
  const location = response.headers.get('location');
  const url = location ? new URL(location, house.uploadsUrl).href : '';
  return { response, url, id: url.split('/').at(-1) ?? '' };
}

/** Sends bytes with the client that browsers use; resolves to the body of the last answer. */
export function send(
  house: House,
  begun: { responseSessionId: string; headers: Record<string, string> },
  body: Buffer,
  chunkSize = 64 * 1024,
): Promise<{ submissionId: string; complete: boolean }> {
  return new Promise((resolve, reject) => {
    new Upload(body as never, {
      endpoint: house.uploadsUrl,
      chunkSize,
      retryDelays: [0, 100, 500],
      metadata: { responseSessionId: begun.responseSessionId, filetype: 'video/webm' },
      headers: begun.headers,
      onError: reject,
      onSuccess: ({ lastResponse }) => resolve(JSON.parse(lastResponse.getBody() || '{}')),
    }).start();
  });
}

/** Looks until `look` gives something; rejects with the product's words after a bound. */
export async function until<T>(expected: string, look: () => Promise<T | undefined | false | null>): Promise<T> {
  const end = Date.now() + 20_000;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`expected within 20 s: ${expected}`);
  }
}
