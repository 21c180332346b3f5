import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RecordingRequest, type Submission } from '@recording-request/client';
import type { TestClip } from '@recording-request/testing/clip';
import { beginResponse, sendClip } from '@recording-request/testing/contributor';
import type { Owner, TestSystem } from '@recording-request/testing/test-system';
import { until } from '@recording-request/testing/wait';
import { type KillingProxy, startKillingProxy } from './killing-proxy.ts';
import { inParallel, SYSTEM_WAIT } from './limits.ts';
import { type MirrorCheck, mirrorCheck } from './mirror.ts';
import type { RrOptions } from './rr.ts';

/** The secret with which `rr listen` signs. */
export const SECRET = `whsec_${Buffer.from('the 32 bytes of a secret, or so.').toString('base64')}`;
const CLIP_MS = 3_000;

/** A project with a shared link, a folder in which `rr` runs, and a proxy between `rr` and the service. */
export interface RrProject extends AsyncDisposable {
  client: RecordingRequest;
  proxy: KillingProxy;
  projectId: string;
  /** The shared link. */
  link: string;
  scratch: string;
  /** The options of `rr`: its folder, and the address of the proxy. */
  options: RrOptions & { env: Record<string, string | undefined> };
  mirror: MirrorCheck;
  /** Sends clips. Returns their ids once their media and transcripts are ready. */
  land(count: number): Promise<string[]>;
  clips(): Promise<Submission[]>;
  erase(submissionId: string): Promise<void>;
  /** Returns a recording link at the address of the proxy. */
  proxied(link: string): string;
}

export interface RrProjectOptions {
  system: Pick<TestSystem, 'baseUrl'>;
  owner: Owner;
  clip: TestClip;
  /** Additional settings of the project. */
  settings?: Record<string, unknown>;
}

export async function openRrProject({ system, owner, clip, settings }: RrProjectOptions): Promise<RrProject> {
  await using opening = new AsyncDisposableStack();
  const scratch = await mkdtemp(join(tmpdir(), 'recording-request-rr-'));
  opening.defer(() => rm(scratch, { recursive: true, force: true }));
  const proxy = opening.use(await startKillingProxy(system.baseUrl));
  const client = new RecordingRequest({ baseUrl: system.baseUrl, token: owner.token });
  const shared = { sharedLinkEnabled: true, sharedLinkMaxUses: 1_000 };
  const project = await owner.createProject({ projectName: 'By rr', count: 1, ...shared, ...settings });
  const { projectId } = project;
  const link = project.sharedLink!.recipientUrl;
  const clips = (): Promise<Submission[]> => client.submissions.list(projectId).all(10_000);
  const send = async () => sendClip(link, clip, { responseSessionId: await beginResponse(link) });
  const opened = opening.move();
  return {
    ...{ client, proxy, projectId, link, scratch, clips },
    mirror: mirrorCheck(client, projectId),
    options: {
      cwd: scratch,
      env: {
        ...{ RR_BASE_URL: proxy.url, RR_TOKEN: owner.token, RR_WEBHOOK_SECRET: SECRET },
        ...{ XDG_CONFIG_HOME: scratch, XDG_STATE_HOME: scratch },
      },
    },
    async land(count) {
      const ids = await inParallel([...Array(count).keys()], 4, send);
      const isReady = ({ submissionId, mediaStatus, transcriptStatus }: Submission) =>
        !ids.includes(submissionId) ||
        (mediaStatus === 'ready' && ['completed', 'disabled'].includes(String(transcriptStatus)));
      const limitMs = SYSTEM_WAIT.limitMs! + count * CLIP_MS;
      await until('the media of the clips', async () => (await clips()).every(isReady), { ...SYSTEM_WAIT, limitMs });
      return ids;
    },
    async erase(submissionId) {
      const { confirm } = await client.submissions.erase(projectId, submissionId);
      await client.submissions.erase(projectId, submissionId, { confirm: confirm! });
    },
    proxied: link => link.replace(system.baseUrl, proxy.url),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
