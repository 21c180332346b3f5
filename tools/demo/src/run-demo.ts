import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startCluster } from '@recording-request/stack/cluster';
import { ensure } from '@recording-request/stack/install/ensure';
import { provision } from '@recording-request/stack/provision';
import { type Servers, startServers } from '@recording-request/stack/servers';
import { SERVICES, type ServiceName } from '@recording-request/stack/service-plan';
import { startWebhookSink } from '@recording-request/stack/webhook-sink';
import { PROGRAMS, perform } from './perform.ts';
import { createPlay, type Play, type PlayedStep } from './play.ts';
import type { Show } from './show.ts';
import type { Projects } from './steps/create-projects.ts';
import { startTraceReceiver, traceVariables } from './trace-receiver.ts';

export interface DemoOptions {
  /** The folder of the logs and, if the demo starts the servers, of their data. */
  dataDir: string;
  /** The folder that keeps the clips between runs. */
  clipsDir: string;
  /** The folder for the results of this run; created when missing. */
  resultsDir: string;
  /** Prints one line for a person to read. */
  log: (line: string) => void;
  signal?: AbortSignal;
  /** Running servers to use. Without them, the demo starts and stops separate servers. */
  servers?: Pick<Servers, 'env'>;
  /** Called after all steps, while everything still runs. Then the demo stops everything. */
  whileUp?: (up: DemoUp, signal: AbortSignal) => Promise<void>;
}

/** The addresses and tokens with which the user can continue manually. */
export interface DemoUp {
  baseUrl: string;
  apiToken: string;
  projects: Projects;
  sinkUrl: string;
}

export interface DemoResult {
  steps: PlayedStep[];
  /** The recognised share of all spoken words, 0 to 1. */
  shareHeard: number;
}

/**
 * Starts the six services (and the servers, unless given), plays owner and contributors over HTTP, and checks the
 * results. Resolves when every check has passed and everything has stopped. Otherwise, stops everything and rejects
 * with a sentence that names the expected and the actual value.
 */
export async function runDemo(options: DemoOptions): Promise<DemoResult> {
  const { log, resultsDir } = options;
  await mkdir(resultsDir, { recursive: true });
  const died = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, died.signal]) : died.signal;
  const lines: string[] = [];
  const report = (line: string) => {
    lines.push(line);
    log(line);
  };
  const { play, played } = createPlay(report, signal);
  try {
    await using stack = new AsyncDisposableStack();
    const show = await setUp(options, { stack, play, signal, died });
    const { shareHeard, projects } = await perform(show);
    await options.whileUp?.(
      { baseUrl: show.baseUrl, apiToken: show.apiToken, projects, sinkUrl: show.sink.url },
      signal,
    );
    died.signal.throwIfAborted();
    return { steps: played, shareHeard };
  } catch (error) {
    // If a process has ended, throws the reason for this: it explains more than the error of a request that failed
    // because of it.
    throw died.signal.aborted ? died.signal.reason : error;
  } finally {
    await writeFile(join(resultsDir, 'steps.txt'), `${lines.join('\n')}\n`);
  }
}

interface Stage {
  stack: AsyncDisposableStack;
  play: Play;
  signal: AbortSignal;
  died: AbortController;
}

async function setUp(options: DemoOptions, { stack, play, signal, died }: Stage): Promise<Show> {
  const { log, dataDir } = options;
  const onExit = (name: string) =>
    died.abort(new Error(`expected ${name} to keep running, got its end: see ${join(dataDir, 'logs', `${name}.log`)}`));
  await play('programs found or installed', async () => {
    await ensure([...PROGRAMS], log, { signal });
  });
  const servers =
    options.servers ??
    (await play('MongoDB, Kafka, S3 store and speech server started', async () =>
      stack.use(await startServers({ dataDir, log, signal, onExit })),
    ));
  const traces = stack.use(await startTraceReceiver());
  // Writes the spans after a failed run too, because then an engineer needs them most.
  stack.defer(() =>
    writeFile(join(options.resultsDir, 'spans.jsonl'), traces.spans.map(span => `${JSON.stringify(span)}\n`).join('')),
  );
  const sink = stack.use(await startWebhookSink());
  // A separate name, so that the demo can use servers that already have data.
  const name = `demo${randomBytes(4).toString('hex')}`;
  const cluster = await play('six services started', async note => {
    const started = stack.use(
      await startCluster({
        servers,
        dataDir,
        restart: false,
        log,
        signal,
        onExit,
        env: traceVariables(traces.url),
        serviceEnv: namesInTraces(),
        kafkaTopicPrefix: `${name}.`,
        mongoDatabasePrefix: `${name}_`,
        s3Bucket: name,
      }),
    );
    note(started.baseUrl);
    return started;
  });
  const { apiToken } = await play('first owner and token made', () => provision(cluster));
  const { clipsDir, resultsDir } = options;
  const speechModel = servers.env.SPEECH_MODEL ?? '';
  return { baseUrl: cluster.baseUrl, apiToken, sink, traces, clipsDir, resultsDir, speechModel, play, signal };
}

/** Returns the names by which the trace receiver distinguishes the services. */
function namesInTraces(): Partial<Record<ServiceName, Record<string, string>>> {
  return Object.fromEntries(SERVICES.map(name => [name, { OTEL_SERVICE_NAME: name }]));
}
