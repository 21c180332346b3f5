import { after } from 'node:test';
import { Prometheus } from '@recording-request/harness/prometheus';
import { type Receiver, startReceiver } from '@recording-request/harness/webhook-receiver';
import { tempDir } from '@recording-request/stack/testing/temp-dir';
import { testClip } from '@recording-request/testing/clip';
import { beginResponse, sendClip } from '@recording-request/testing/contributor';
import { startTestSystem, type TestSystem } from '@recording-request/testing/test-system';
import { type Observability, startObservability } from '../src/start-observability.ts';

/** The six services as processes, with all observability servers, and the clips sent to them. */
export interface ObservedSystem {
  system: TestSystem;
  observability: Observability;
  receiver: Receiver;
  /** A clip that is complete, including its last webhook. */
  clip: { projectId: string; submissionId: string };
  /** Sends another clip and waits until it is complete. */
  another(): Promise<unknown>;
  prometheus: Prometheus;
  /** Returns a page of the address, as text. */
  page(path: string): Promise<{ status: number; text: string; url: string }>;
}

const SCRAPE_MS = 1_000;
const LIMIT_MS = 20_000;
const WAY_MS = 180_000;

/**
 * Starts everything, sends one clip, and stops everything after the tests of the file. On failure, stops everything and
 * rejects with the name of the part that did not start.
 */
export async function startObservedSystem(env: Record<string, string> = {}): Promise<ObservedSystem> {
  await using starting = new AsyncDisposableStack();
  const scratch = starting.use(await tempDir());
  const observability = starting.use(await startObservability({ dataDir: scratch.path, scrapeMs: SCRAPE_MS }));
  const receiver = starting.use(await startReceiver());
  const system = starting.use(await startTestSystem({ restartable: true, env: { ...observability.env, ...env } }));
  const clip = await sendOne(system, receiver);
  const started = starting.move();
  after(() => started.disposeAsync());
  return {
    ...{ system, observability, receiver, clip },
    another: () => sendOne(system, receiver),
    prometheus: new Prometheus(observability.prometheusUrl),
    async page(path) {
      const answer = await fetch(new URL(path, observability.pageUrl), { signal: AbortSignal.timeout(LIMIT_MS) });
      return { status: answer.status, text: await answer.text(), url: answer.url };
    },
  };
}

/** Sends a spoken clip and waits for the webhook of its transcript, which is the last webhook. */
async function sendOne(system: TestSystem, receiver: Receiver): Promise<ObservedSystem['clip']> {
  const owner = await system.newOwner('Observed');
  const project = await owner.createProject({
    projectName: 'Observed',
    count: 1,
    transcriptionEnabled: true,
    webhookUrl: receiver.url,
  });
  const link = project.recipientUrls[0]!.url;
  const spoken = await testClip({ container: 'webm', text: 'Hello, my name is Anna.' });
  const submissionId = await sendClip(link, spoken, { responseSessionId: await beginResponse(link) });
  const isLast = ({ body }: { body: Buffer }) => {
    const { type, data } = JSON.parse(body.toString('utf8'));
    return type === 'submission.transcript.completed' && data.submission.submissionId === submissionId;
  };
  await receiver.waitFor(1, isLast, WAY_MS);
  await owner.ask(`/api/projects/${project.projectId}/submissions`);
  return { projectId: project.projectId, submissionId };
}
