import assert from 'node:assert/strict';
import { LIMITS } from '@recording-request/contract/limits';
import { presentSubmission, summaryOf } from '@recording-request/contract/present';
import { mintToken } from '@recording-request/contract/tokens';
import { DomainError } from '@recording-request/kit/errors';
import type {
  CreateProjectRequest,
  ListLinksRequest,
  UpdateProjectRequest,
} from '@recording-request/proto/projects/v1/projects';
import { type Submission, TranscriptStatus } from '@recording-request/proto/submissions/v1/submissions';
import { EndpointState } from '@recording-request/proto/webhooks/v1/webhooks';
import { asProject, OWNER_ID, PROJECT_ID, SUBMISSION_ID, startTestGateway } from './test-service.ts';

export const at = new Date('2026-01-02T03:04:05.006Z');
export const counts = {
  videosCreated: 4,
  selectedVideos: 1,
  transcriptCompleted: 2,
  transcriptPending: 1,
  transcriptFailed: 1,
};
const user = { userId: OWNER_ID, userName: 'Ada', videoLimit: 10, videosReserved: 3, createdAt: at };
export const link = (linkType: 1 | 2, token = mintToken('vr')) => ({
  linkId: OWNER_ID,
  token,
  linkType,
  status: 1 as const,
  maxUses: 1,
  submissionCount: 0,
  remainingUses: 1,
  createdAt: at,
});
export const links = { sharedLink: link(2), uniqueLinks: [link(1)] };
export const submission: Submission = {
  submissionId: SUBMISSION_ID,
  videoId: SUBMISSION_ID,
  linkId: OWNER_ID,
  responseId: OWNER_ID,
  projectId: PROJECT_ID,
  ownerId: OWNER_ID,
  createdAt: at,
  selected: true,
  note: '<script>alert(1)</script>',
  transcriptStatus: TranscriptStatus.TRANSCRIPT_STATUS_COMPLETED,
  transcriptText: 'héllo',
  transcriptVtt: 'WEBVTT\n\n00:00:00.400 --> 00:00:02.100\nhéllo &amp; so on\n',
  hasThumbnails: true,
  hasAudio: true,
  mediaStatus: 2,
  incomplete: false,
  sha256: 'ab',
  durationSec: 1.4,
};
export const delivery = {
  deliveryId: SUBMISSION_ID,
  eventId: OWNER_ID,
  eventType: 'submission.completed',
  projectId: PROJECT_ID,
  submissionId: SUBMISSION_ID,
  state: 2 as const,
  createdAt: at,
  deliveredAt: at,
  attemptCount: 1,
  attempts: [{ at, statusCode: 200, error: '', durationMs: 5 }],
  test: false,
};

const endpoint = {
  state: EndpointState.ENDPOINT_STATE_PAUSED,
  failingSince: at,
  pausedAt: at,
  pauseReason: 'The endpoint answered 410 Gone.',
  lastStatusCode: 410,
  lastError: 'the endpoint answered 410',
};
export const project = `/projects/${PROJECT_ID}`;
export const presented = presentSubmission(submission, { baseUrl: 'https://rec.example', projectName: 'Stories' });

/** The last calls to the services. */
export interface Calls {
  tested: string[];
  refreshed: string[];
  redelivered?: unknown;
  created?: CreateProjectRequest;
  updated?: UpdateProjectRequest;
  listed?: unknown;
  askedLinks?: ListLinksRequest;
}

/** Starts a gateway with services that know one owner, with one project and one clip. */
export async function startOwnerGateway() {
  const calls: Calls = { tested: [], refreshed: [] };
  const harness = await startTestGateway({
    accounts: { getUser: async () => ({ user }) },
    projects: {
      listProjects: async () => ({ summaries: [summaryOf(asProject())] }),
      getProject: async () => ({ projectName: 'Stories', project: asProject() }),
      resolveDashboardToken: async () => ({ ownerId: OWNER_ID, projectId: PROJECT_ID }),
      async listLinks(request) {
        calls.askedLinks = request;
        return { ...links, nextCursor: request.pageSize === LIMITS.linkPageSize ? undefined : 'more' };
      },
      getSharedLink: async () => ({ link: link(2, 'vr_fixed') }),
      setProjectClosed: async ({ closed }) => ({ project: { ...asProject(), closedAt: closed ? at : undefined } }),
      updateLink: async () => ({ link: link(2) }),
      rotateDashboardToken: async () => ({ projectToken: 'prj_new' }),
      async createProject(request) {
        calls.created = request;
        return {
          project: { ...asProject(), linkStats: { ...asProject().linkStats, uniqueLinksTotal: 2 } },
          projectToken: 'prj_x',
          uniqueLinks: [link(1), link(1)],
          user,
          reservedVideoCount: 2,
          replayed: false,
        };
      },
      async updateProject(request) {
        calls.updated = request;
        return { project: asProject() };
      },
    },
    submissions: {
      countSubmissions: async () => ({ counts: { [PROJECT_ID]: counts } }),
      measureVideos: async () => ({ bytes: 5_000_000, selectedBytes: 1_000_000 }),
      async listSubmissions(request) {
        calls.listed = request;
        return { submissions: [submission], nextCursor: request.pageSize === 1 ? 'next' : '' };
      },
      getSubmission: async () => ({ submission }),
      updateSubmission: async () => ({ submission }),
      requestTranscript: async () => ({ submission }),
      requestMedia: async () => ({ submission }),
    },
    webhooks: {
      listDeliveries: async () => ({ deliveries: [delivery], nextCursor: '', endpoint }),
      async redeliverRange(request) {
        calls.redelivered = request;
        return { count: 3 };
      },
      redeliver: async () => ({ delivery }),
      async sendTest({ eventType }) {
        calls.tested.push(eventType);
        return { delivery };
      },
      async refreshEndpoint({ projectId }) {
        calls.refreshed.push(projectId);
        throw new DomainError('unavailable', 'The webhooks service is down.');
      },
    },
  });
  const url = (path: string) => `${harness.base}/api${path}`;

  /** Sends a request as the owner. Expects 200 and returns the body. */
  async function json(path: string, init: { method?: string; body?: unknown; headers?: Record<string, string> } = {}) {
    const response = await fetch(url(path), {
      ...(init.method && { method: init.method }),
      headers: {
        ...harness.bearer,
        ...init.headers,
        ...(init.body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(init.body !== undefined && { body: JSON.stringify(init.body) }),
    });
    assert.equal(response.status, 200, `${path}: ${await response.clone().text()}`);
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
    // biome-ignore lint/suspicious/noExplicitAny: the shapes are what the tests look at
    return (await response.json()) as any;
  }
  return { harness, calls, url, json };
}
