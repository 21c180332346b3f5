import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { perform } from '@recording-request/demo/perform';
import { createPlay } from '@recording-request/demo/play';
import { startTraceReceiver, traceVariables } from '@recording-request/demo/trace-receiver';
import { NODE_ADDRESS, OUTSIDE_ADDRESS } from '@recording-request/k8s/lab/place';
import { startWebhookSink } from '@recording-request/stack/webhook-sink';
import type { ClusterHarness } from '../harness.ts';
import { ORIGIN } from './overlay.ts';
import { replaceObjects } from './product.ts';

/** The port of OTLP over HTTP; the policies of the lab permit the ports in the settings. */
const TELEMETRY_PORT = 4_318;
/** The folder of the clips. Later runs reuse it. */
const CLIPS_DIR = join(tmpdir(), 'recording-request-clips');

/**
 * Runs every step of the demo at the gateway's address in the cluster, with the owner's endpoint outside. Meanwhile all
 * services send their spans to a receiver beside the cluster. Rejects at the first failed step.
 */
export async function performDemo(harness: ClusterHarness): Promise<void> {
  const { product, objects, overlay, apiToken, serversEnv, workDir, noted, signal } = harness;
  const resultsDir = join(workDir, 'demo');
  await mkdir(resultsDir, { recursive: true });
  await using traces = await startTraceReceiver({ host: NODE_ADDRESS, port: TELEMETRY_PORT });
  await using sink = await startWebhookSink({ host: OUTSIDE_ADDRESS });
  const { play } = createPlay(noted, signal);
  const speechModel = serversEnv.SPEECH_MODEL ?? '';
  try {
    await replaceObjects(product, await overlay('overlay-traced', { settings: traceVariables(traces.url) }));
    const folders = { clipsDir: CLIPS_DIR, resultsDir };
    await perform({ baseUrl: ORIGIN, apiToken, sink, traces, ...folders, speechModel, play, signal });
  } finally {
    // Stops the sending of spans, because their receiver ends here.
    await replaceObjects(product, objects);
  }
}
