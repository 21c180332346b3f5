import type { Sampled } from '@recording-request/gateway/docs/request-samples';
import { ok } from '@recording-request/harness/http-client';
import { createUpload } from '@recording-request/harness/tus';
import { testClip } from '@recording-request/testing/clip';
import { beginResponse, sendClip } from '@recording-request/testing/contributor';
import type { Owner } from '@recording-request/testing/test-system';
import { until } from '@recording-request/testing/wait';
import { SYSTEM_WAIT } from './limits.ts';
import { submissionsOf } from './seed.ts';

/** Values of path parameters by their names. */
export type Ids = Record<string, string>;

// The id of a response, and the size of an upload, in the examples of the description.
const SESSION = '0f8b2c6e-3d51-4a77-9a55-1c2f6b7d8e90';
const UPLOAD_BYTES = 6_291_456;
const LINKS = 20;

/** A project with everything that the sample of an operation may need. */
export interface SampleWorld {
  /** The recording that samples send. */
  recording: Buffer;
  /** Returns the ids for an operation. Each operation of a contributor gets a separate link. */
  idsOf(operation: Sampled): Promise<Ids>;
  /** Returns the `confirm` for an erasure. */
  confirm(operation: Sampled, ids: Ids): Promise<string>;
}

/** Makes a world. Returns when its clip has its transcript and its media. */
export async function makeSampleWorld(owner: Owner, webhookUrl: string): Promise<SampleWorld> {
  const { ask } = owner;
  const speech = await testClip({ container: 'webm', text: 'please open the door', width: 320, height: 180 });
  const { projectId, projectToken, recipientUrls } = await owner.createProject({
    ...{ projectName: 'Samples', count: LINKS, sharedLinkEnabled: true, transcriptionEnabled: true, noteEnabled: true },
    script: 'Say who you are.',
    ...{ recipients: [{ name: 'Ana' }, { name: 'Ben' }], webhookUrl },
  });
  const [invited, used, ...unused] = recipientUrls;
  await sendClip(used!.recipientUrl, speech, { responseSessionId: await beginResponse(used!.recipientUrl) });
  const { submissionId } = await until(
    'the clip is ready',
    async () => {
      const [found] = await submissionsOf(owner, projectId);
      return found?.mediaStatus === 'ready' && found.transcriptStatus === 'completed' && found;
    },
    SYSTEM_WAIT,
  );
  const { deliveryId } = ok(await ask(`/api/projects/${projectId}/webhook-test`, { method: 'POST' }));
  const ids = { projectId, projectToken, submissionId, deliveryId, tokenId: invited!.tokenId };
  // The removal of an unknown note changes nothing.
  const shared: Ids = { ...ids, noteId: crypto.randomUUID() };

  return {
    recording: padded(speech.bytes),
    async idsOf({ operationId, path }) {
      if (!path.startsWith('/r/')) return shared;
      const { token, recipientUrl } = unused.pop()!;
      const ids = { token, responseSessionId: SESSION };
      if (operationId === 'openLink' || operationId === 'beginResponse') return ids;
      ok(await ask(`/r/${token}/responses`, { method: 'POST', json: { responseSessionId: SESSION } }), 201);
      if (!path.includes('{uploadId}')) return ids;
      const metadata = { responseSessionId: SESSION };
      const { response, id } = await createUpload(`${recipientUrl}/uploads`, { metadata, length: UPLOAD_BYTES });
      await response.arrayBuffer();
      return { ...ids, uploadId: id };
    },
    async confirm({ path }, ids) {
      return ok(await ask(pathOf(path, ids), { method: 'POST' })).confirm;
    },
  };
}

/** Returns a path with ids in place of its parameters. */
export const pathOf = (path: string, ids: Ids): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name);

/** Returns a WebM file with the size that the examples state. It ends with an element that players skip. */
function padded(webm: Uint8Array): Buffer {
  const head = Buffer.alloc(9, 0);
  const size = UPLOAD_BYTES - webm.length - head.length;
  // The id of a Void element; its size follows in eight bytes.
  head[0] = 0xec;
  head.writeBigUInt64BE(BigInt(size) | (1n << 56n), 1);
  return Buffer.concat([webm, head, Buffer.alloc(size)]);
}
