import { randomUUID } from 'node:crypto';
import type { ProjectCreatedJson } from '@recording-request/contract/resources/project';
import type { SubmissionJson } from '@recording-request/contract/resources/submission';
import { expectAnswer, send } from '@recording-request/harness/http-client';
import { createUpload as createTusUpload } from '@recording-request/harness/tus';
import type { Cluster } from '@recording-request/stack/cluster';
import { provision } from '@recording-request/stack/provision';
import { waitFor } from '@recording-request/stack/wait';
import { curl } from '../load/curl.ts';

/** A running product, and an owner's access to it. */
export interface Product {
  baseUrl: string;
  /** An API token with every scope. */
  token: string;
  services: Cluster['services'];
  certificates: Cluster['certificates'];
  /** MONGO_URL, S3_ENDPOINT and the like. */
  serversEnv: Record<string, string>;
  databasePrefix: string;
  topicPrefix: string;
  bucket: string;
  /** The folder of the workers' ffmpeg and ffprobe; by default, they come from PATH. */
  programs?: string;
}

const LIMIT_MS = 60_000;
const READY_MS = 180_000;
const ACCEPTED = [200, 202, 204];

/** Creates an owner. Returns the product with the owner's token. */
export async function newOwner(product: Product): Promise<Product> {
  return { ...product, token: (await provision(product)).apiToken };
}

export const bearer = ({ token }: Pick<Product, 'token'>) => ({ authorization: `Bearer ${token}` });

/** Sends a request to the API. Resolves to the answer's JSON; rejects unless the status is a success. */
export async function ask<T>({ baseUrl, token }: Product, path: string, json?: unknown): Promise<T> {
  const method = json === undefined ? 'GET' : 'POST';
  const answer = await send(new URL(path, baseUrl), { method, token, json });
  expectAnswer(answer, answer.status === 201 ? 201 : 200);
  return answer.json();
}

/** Creates a project with a shared link for many uses. It has no transcripts unless `settings` enable them. */
export const createProject = (product: Product, projectName: string, settings: Record<string, unknown> = {}) =>
  ask<ProjectCreatedJson>(product, '/api/projects', {
    projectName,
    count: 1,
    sharedLinkEnabled: true,
    sharedLinkMaxUses: 10_000,
    transcriptionEnabled: false,
    ...settings,
  });

export interface File {
  path: string;
  bytes: number;
  mimeType: string;
}

/** Starts a response and creates its upload. Returns the upload's address. */
export async function createUpload(product: Product, link: string, file: File): Promise<string> {
  const responseSessionId = randomUUID();
  await ask(product, `${new URL(link).pathname}/responses`, { responseSessionId });
  const metadata = { responseSessionId, filetype: file.mimeType };
  const { response, url } = await createTusUpload(`${link}/uploads`, { metadata, length: file.bytes });
  await response.body?.cancel();
  if (response.status !== 201) throw new Error(`the creation of an upload returned ${response.status}, not 201`);
  return url;
}

/** The headers of every PATCH in tus 1.0. */
export const PATCH = {
  'tus-resumable': '1.0.0',
  'upload-offset': '0',
  'content-type': 'application/offset+octet-stream',
};

/** Sends the whole file. Returns the seconds until the answer. */
export async function sendUpload(url: string, file: File, signal: AbortSignal): Promise<number> {
  const request = { url, method: 'PATCH', headers: PATCH, upload: file.path };
  const [answer] = await curl([request], { signal, wanted: ACCEPTED });
  if (answer!.bytesOut !== file.bytes) throw new Error(`${answer!.bytesOut} of ${file.bytes} bytes were sent`);
  return answer!.seconds;
}

/** Waits until the project has `count` clips with media. Returns the clips, the newest first. */
export async function readyClips(
  product: Product,
  projectId: string,
  count: number,
  signal: AbortSignal,
): Promise<SubmissionJson[]> {
  const check = async () => {
    const page = await ask<{ submissions: SubmissionJson[] }>(
      product,
      `/api/projects/${projectId}/submissions?limit=100`,
    );
    const isDone = page.submissions.length >= count && page.submissions.every(each => each.mediaStatus === 'ready');
    return isDone ? page.submissions : undefined;
  };
  return waitFor(`the media of ${count} clips`, check, { timeoutMs: READY_MS, checkMs: LIMIT_MS, signal });
}

/** Lands one clip in a project and waits for its media. */
export async function landClip(
  product: Product,
  project: ProjectCreatedJson,
  file: File,
  signal: AbortSignal,
): Promise<SubmissionJson> {
  const link = project.sharedLink!.recipientUrl;
  await sendUpload(await createUpload(product, link, file), file, signal);
  return (await readyClips(product, project.projectId, 1, signal))[0]!;
}
