import { join } from 'node:path';
import { type Harness, openHarness } from '@recording-request/fault-test/harness/harness';
import { ownServers } from '@recording-request/fault-test/harness/own-servers';
import { provideSpeech } from '@recording-request/fault-test/harness/speech-provider';
import { Prometheus } from '@recording-request/harness/prometheus';
import { ensure } from '@recording-request/stack/install/ensure';
import { fakeClock } from '@recording-request/stack/install/faketime';
import { freePort } from '@recording-request/stack/ports';
import type { Random } from '@recording-request/stack/random';
import type { ServiceName } from '@recording-request/stack/service-plan';
import { mountSmall } from '@recording-request/testing/small-disk';
import { type SteadyLoad, startLoad } from './load.ts';
import { openObservability } from './observability.ts';
import { type Owners, openOwners } from './owners.ts';
import { openPager, type Pager } from './pager.ts';
import { type SlowFfmpeg, slowFfmpeg } from './slow-ffmpeg.ts';

/** The product under a steady load, its observability servers, and the parts that drills break. */
export interface System extends AsyncDisposable {
  harness: Harness;
  owners: Owners;
  /** The speech endpoint: its duration per request, and its restart after its proxies were down. */
  speech: { takesMs: number; back(): Promise<void> };
  ffmpeg: SlowFfmpeg;
  /** The work folder of media, a small file system; or the reason why this machine does not permit one. */
  smallDisk: { dir: string } | { refused: string };
  pager: Pager;
  load: SteadyLoad;
  prometheus: Prometheus;
  factor: number;
  log(line: string): void;
  /** Keeps logs and data after disposal. Returns the folder. */
  keep(): string;
}

export interface SystemOptions {
  /** The folder of all files; it is created. */
  dataDir: string;
  factor: number;
  /** Makes the random choices of the load. */
  random: Random;
  log(line: string): void;
  signal: AbortSignal;
}

/** The third process of the projects service. Only one drill starts it. */
export const SKEWED = { service: 'projects', index: 2, seconds: 45 } as const;

const WORK_BYTES = 64 * 1024 * 1024;
const SPEECH_MS = 300;
const REPORT_MS = '1000';

const ENV: Record<string, string> = {
  // The shipped default.
  OTEL_TRACES_SAMPLER: '',
  OTEL_METRIC_EXPORT_INTERVAL: REPORT_MS,
  OTEL_METRIC_EXPORT_TIMEOUT: REPORT_MS,
  OTEL_BSP_SCHEDULE_DELAY: '500',
  // Updates the metrics that need a query often enough for the short windows of alerts.
  FIGURES_SECONDS: '2',
  // Enough slots, so that only the delay can cause a queue.
  MEDIA_SLOTS: '4',
  // The production size. With parts of a few kilobytes, the many calls to the store would slow landings down.
  UPLOAD_PART_BYTES: String(4 * 1024 ** 2),
};

const processEnv = (service: ServiceName, index: number): Record<string, string> => ({
  OTEL_RESOURCE_ATTRIBUTES: `service.instance.id=${service}-${index}`,
  ...(service === SKEWED.service && index === SKEWED.index ? fakeClock(SKEWED.seconds) : {}),
});

/** Starts everything; if a part does not start, stops the others and rejects. */
export async function openSystem({ dataDir, factor, random, log, signal }: SystemOptions): Promise<System> {
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
        // The proxies of the harness listen at this address.
        return { ...own, ...observability.env, SPEECH_BASE_URL: `http://127.0.0.1:${await freePort()}/v1` };
      },
    },
    { serversEnv: {}, dataDir, random, signal },
  );
  opening.use(harness);
  const speech = { takesMs: SPEECH_MS, back: async () => {} };
  const provide = () => void provideSpeech(harness, () => speech.takesMs);
  speech.back = async () => {
    await harness.proxies('speech').pass();
    provide();
  };
  provide();
  const owners = await openOwners(harness, opening);
  const load = opening.use(startLoad(harness, owners, random.fork('load')));
  const opened = opening.move();
  return {
    ...{ harness, owners, speech, ffmpeg, smallDisk, pager, load, factor, log },
    prometheus: new Prometheus(prometheusUrl),
    keep() {
      harness.keep();
      return dataDir;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
