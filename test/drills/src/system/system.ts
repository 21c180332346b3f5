import { join } from 'node:path';
import { type Harness, openHarness } from '@recording-request/fault-test/harness/harness';
import { ownServers } from '@recording-request/fault-test/harness/own-servers';
import { mountSmall } from '@recording-request/fault-test/harness/small-disk';
import { provideSpeech } from '@recording-request/fault-test/harness/speech-provider';
import { type FaultProxy, openProxy } from '@recording-request/fault-test/proxy/proxy';
import { Prometheus } from '@recording-request/harness/prometheus';
import { ensure } from '@recording-request/stack/install/ensure';
import { fakeClock } from '@recording-request/stack/install/faketime';
import { freePort } from '@recording-request/stack/ports';
import { createRandom } from '@recording-request/stack/random';
import type { ServiceName } from '@recording-request/stack/service-plan';
import { type SteadyLoad, startLoad } from './load.ts';
import { openObservability } from './observability.ts';
import { openPager, type Pager } from './pager.ts';
import { type SlowFfmpeg, slowFfmpeg } from './slow-ffmpeg.ts';

/** The product under a steady load, what watches it, and all that drills break. */
export interface System extends AsyncDisposable {
  harness: Harness;
  /** In front of the endpoint to which every webhook goes. */
  endpoint: FaultProxy;
  /** The speech endpoint: how long it takes, and its return after its proxies were down. */
  speech: { takesMs: number; back(): Promise<void> };
  ffmpeg: SlowFfmpeg;
  /** The folder that media works in, a small file system of its own; why it is none, where that is not permitted. */
  smallDisk: { dir: string } | { refused: string };
  pager: Pager;
  load: SteadyLoad;
  prometheus: Prometheus;
  factor: number;
  log(line: string): void;
  /** Keeps logs and data when it is closed. Returns the folder. */
  keep(): string;
}

export interface SystemOptions {
  /** Holds everything; it is made. */
  dataDir: string;
  factor: number;
  log(line: string): void;
  signal: AbortSignal;
}

/** A third process of projects, which only one drill starts. */
export const SKEWED = { service: 'projects', index: 2, seconds: 45 } as const;

const WORK_BYTES = 64 * 1024 * 1024;
const SPEECH_MS = 300;
const REPORT_MS = '1000';

const ENV: Record<string, string> = {
  // As it ships.
  OTEL_TRACES_SAMPLER: '',
  OTEL_METRIC_EXPORT_INTERVAL: REPORT_MS,
  OTEL_METRIC_EXPORT_TIMEOUT: REPORT_MS,
  OTEL_BSP_SCHEDULE_DELAY: '500',
  // What costs a query is read as often as an alert's windows are short.
  FIGURES_SECONDS: '2',
  // Enough that a queue is the delay's doing.
  MEDIA_SLOTS: '4',
  // As in production: a part of a few kilobytes would make the store's calls many and the landing slow.
  UPLOAD_PART_BYTES: String(4 * 1024 ** 2),
};

const processEnv = (service: ServiceName, index: number): Record<string, string> => ({
  OTEL_RESOURCE_ATTRIBUTES: `service.instance.id=${service}-${index}`,
  ...(service === SKEWED.service && index === SKEWED.index ? fakeClock(SKEWED.seconds) : {}),
});

/** Starts everything; rejects, leaving nothing, where a part of it does not start. */
export async function openSystem({ dataDir, factor, log, signal }: SystemOptions): Promise<System> {
  await using opening = new AsyncDisposableStack();
  await ensure(['ffmpeg', 'flite', 'faketime'], log, { signal });
  const pager = opening.use(await openPager());
  const servers = ownServers('mongo', 'kafka', 's3');
  const ffmpeg = await slowFfmpeg(join(dataDir, 'bin'));
  let smallDisk: System['smallDisk'] = { dir: join(dataDir, 'media-work') };
  let prometheusUrl = '';
  const harness = await openHarness(
    {
      processes: { projects: 2 },
      most: { [SKEWED.service]: SKEWED.index + 1 },
      env: ENV,
      serviceEnv: { media: ffmpeg.env },
      processEnv,
      async servers(dir, stack) {
        const refused = await mountSmall(join(dir, 'media-work'), WORK_BYTES, stack);
        if (refused) smallDisk = { refused };
        const own = await servers.start(dir, stack);
        const observability = stack.use(await openObservability({ dataDir, pagerUrl: pager.url, factor, log, signal }));
        prometheusUrl = observability.prometheusUrl;
        // The proxies answer for it.
        return { ...own, ...observability.env, SPEECH_BASE_URL: `http://127.0.0.1:${await freePort()}/v1` };
      },
    },
    { serversEnv: {}, dataDir, random: createRandom('drills'), signal },
  );
  opening.use(harness);
  const receiver = new URL(harness.receiver.url);
  const endpoint = opening.use(await openProxy({ targets: () => [receiver.host] }));
  const speech = { takesMs: SPEECH_MS, back: async () => {} };
  const provide = () => void provideSpeech(harness, () => speech.takesMs);
  speech.back = async () => {
    await harness.proxies('speech').pass();
    provide();
  };
  provide();
  const webhookUrl = `http://127.0.0.1:${endpoint.port}${receiver.pathname}`;
  const settings = { webhookUrl, sharedLinkMaxUses: 100_000 };
  const plain = await harness.owner.create(settings);
  const spoken = await harness.owner.create({ ...settings, transcriptionEnabled: true });
  const load = opening.use(startLoad(harness, { plain, spoken }));
  const opened = opening.move();
  return {
    ...{ harness, endpoint, speech, ffmpeg, smallDisk, pager, load, factor, log },
    prometheus: new Prometheus(prometheusUrl),
    keep() {
      harness.keep();
      return dataDir;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
