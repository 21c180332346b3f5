import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { RecordingRequest } from '@recording-request/client';
import { testClip } from '@recording-request/testing/clip';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { type CuttingProxy, type ForwardedRequest, startCuttingProxy } from '../cutting-proxy.ts';
import { landed, SPOKEN } from '../test-browser.ts';
import { harness, started } from './recovery-harness.ts';

/** The script of the pages below. */
declare const studio: { RecordingRequest: typeof RecordingRequest };

/** An integrator's pages, which a proxy serves on the host of the service. */
const PAGES = { '/studio': '<!doctype html><title>Studio</title><input type="file">' };

let proxy: CuttingProxy;
let script: string;
before(async () => {
  await started();
  proxy = await startCuttingProxy(harness.system.baseUrl, PAGES);
  script = await bundledClient();
});
after(() => proxy?.[Symbol.asyncDispose]());

/** Returns the client and tus-js-client as one script, as an integrator's bundler makes it. */
async function bundledClient(): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: "export { RecordingRequest } from '@recording-request/client';",
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
    },
    ...{ bundle: true, write: false, format: 'iife', globalName: 'studio', target: 'es2022' },
  });
  return outputFiles[0]!.text;
}

/** Opens an integrator's page with the client. */
async function openStudio(origin: string): Promise<Page> {
  const page = await harness.page();
  await page.goto(`${origin}/studio`);
  await page.addScriptTag({ content: script });
  return page;
}

test('the bundled client sends a file from a page of the same origin, over a connection that breaks', async () => {
  const project = await harness.project({ noteEnabled: true });
  const link = proxy.origin + new URL(project.urls[0]!).pathname;
  const clip = await testClip({ text: SPOKEN, container: 'webm' });
  const chunkBytes = Math.ceil(clip.bytes.length / 3);
  const uploads: ForwardedRequest[] = [];
  proxy.cuts = 0;
  proxy.decide = forwarded => {
    if (!forwarded.path.includes('/uploads')) return undefined;
    uploads.push(forwarded);
    const isSecond = forwarded.method === 'PATCH' && forwarded.offset === chunkBytes;
    return isSecond && proxy.cuts === 0 ? Math.floor(forwarded.length / 2) : undefined;
  };
  const page = await openStudio(proxy.origin);
  await page.setInputFiles('input', clip.path);
  const sent = await page.evaluate(
    async ({ link, chunkBytes }) => {
      const file = document.querySelector('input')!.files![0]!;
      const recorder = new studio.RecordingRequest({ baseUrl: location.origin }).recorder(link);
      const { responseSessionId } = await recorder.begin();
      const progress: number[] = [];
      const { submissionId, response } = await recorder.upload(file, {
        ...{ responseSessionId, chunkBytes, fileType: file.type, note: 'From my own page' },
        onProgress: bytes => void progress.push(bytes),
      });
      return { submissionId, isComplete: response.complete, lastProgress: progress.at(-1) };
    },
    { link, chunkBytes },
  );
  const [submission] = await landed(harness, project);
  assert.deepEqual(sent, {
    submissionId: submission!.submissionId,
    isComplete: true,
    lastProgress: clip.bytes.length,
  });
  assert.equal(submission!.sha256, createHash('sha256').update(clip.bytes).digest('hex'));
  assert.deepEqual([submission!.note, submission!.incomplete], ['From my own page', false]);
  assert.equal(proxy.cuts, 1);
  // Chromium itself may send the request again before tus-js-client asks for the offset.
  const offsets = uploads.filter(({ method }) => method === 'PATCH').map(({ offset }) => offset);
  assert.deepEqual(offsets.slice(0, 2), [0, chunkBytes]);
  assert.ok(offsets.length >= 4 && offsets.slice(2).every(offset => offset >= chunkBytes), `from bytes ${offsets}`);
  assert.equal(uploads.filter(({ method }) => method === 'POST').length, 1, 'the upload continues, no other begins');
  await page.context().close();
});

test('a page of another origin claims no use of the link, because there is no CORS', async () => {
  const project = await harness.project();
  const link = proxy.origin + new URL(project.urls[0]!).pathname;
  const seen: string[] = [];
  proxy.decide = ({ method, path }) => void seen.push(`${method} ${path.replace(/vr_\w+/, 'vr_…')}`);
  await using elsewhere = await startCuttingProxy(harness.system.baseUrl, PAGES);
  const page = await openStudio(elsewhere.origin);
  const error = await page.evaluate(async link => {
    const recorder = new studio.RecordingRequest({ baseUrl: location.origin, retries: 0 }).recorder(link);
    return recorder.begin().then(String, ({ name, message }: Error) => ({ name, message }));
  }, link);
  assert.deepEqual(error, {
    name: 'ConnectionError',
    message: `POST ${proxy.origin}/r/…/responses failed: Failed to fetch`,
  });
  assert.deepEqual(seen, ['OPTIONS /r/vr_…/responses']);
  assert.equal((await harness.links(project))[0]!.status, 'active');
  await page.context().close();
});
