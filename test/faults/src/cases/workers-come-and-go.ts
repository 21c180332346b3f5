import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '@recording-request/stack/wait';
import { ended } from '../check/wait-for-clips.ts';
import { contributeAll } from '../contributors/contribute-all.ts';
import type { FaultCase } from '../fault-case.ts';
import type { Harness } from '../harness/harness.ts';
import { provideSpeech, type SpeechCall, type SpeechProvider } from '../harness/speech-provider.ts';

const PROCESSES = 3;
const CLIPS = { short: 24, long: 30 };
const LONG_JOB_MS = { short: 30_000, long: 60_000 };
const JOB_MS = 1_500;
/** The longest time that workers may be idle while jobs wait. */
const STALL_MS = 5_000;

export const workersComeAndGo: FaultCase = {
  name: 'workers-come-and-go',
  promise:
    'While one long job runs and workers are added, removed and killed, the others are idle for 5 s at most, and no job runs twice at once',
  bounded: false,
  weight: 0,
  restMs: 120_000,
  harness: {
    processes: { transcription: PROCESSES - 1 },
    most: { transcription: PROCESSES },
    env: { KAFKA_PARTITIONS: '6', STUCK_SECONDS: '300' },
    serviceEnv: { transcription: { TRANSCRIPTION_SLOTS: '1' } },
  },
  async run(harness, { random, short, signal }) {
    const form = short ? 'short' : 'long';
    const { fleet } = harness;
    const workers = fleet.of('transcription');
    // All work waits before the first job begins, so an idle worker indicates a fault.
    for (const worker of workers) await fleet.stop(worker);
    const project = await harness.owner.create({ transcriptionEnabled: true });
    const entries = await contributeAll(harness, project, CLIPS[form], random, { speaks: true });
    await ended(harness, entries, 'media', { limitMs: 120_000, signal });

    const provider = provideSpeech(harness, call => (isFirst(provider, call) ? LONG_JOB_MS[form] : JOB_MS));
    const audioCalls = watchAudio(harness, provider);
    await Promise.all(workers.slice(0, 2).map(worker => fleet.start(worker)));
    const first = await waitFor('the long job', async () => provider.calls[0], { timeoutMs: 60_000, signal });
    const [busy, other, third] = [workers[first.process]!, workers[1 - first.process]!, workers[2]!];
    await delay(2_000);
    await fleet.start(third);
    await delay(3_000);
    await fleet.stop(other);
    await fleet.start(other);
    await delay(3_000);
    await fleet.kill(third);
    await fleet.start(third);
    await ended(harness, entries, 'transcript', { limitMs: LONG_JOB_MS[form] + 120_000, signal });
    if (busy.starts > 2) harness.violated('the process with the long job was restarted: the case tested nothing');
    stalls(harness, audioCalls, first);
    atOnce(harness, audioCalls);
    await harness.proxies('speech').pass();
  },
};

const isFirst = ({ calls }: SpeechProvider, call: SpeechCall) => calls[0] === call;

/**
 * Checks that the provider soon gets a new call while work waits, and that more than one worker makes the calls other
 * than the long job. Ignores the job of a killed worker, because the job restarts only when its claim expires, possibly
 * after all others. The number of concurrent jobs depends on the machine.
 */
function stalls({ violated }: Harness, audioCalls: AudioCall[], first: SpeechCall): void {
  const begun = new Set<string>();
  const others: SpeechCall[] = [];
  for (const { key, call } of audioCalls) {
    if (call !== first && !begun.has(key)) others.push(call);
    if (key) begun.add(key);
  }
  const gaps = others.slice(1).map((call, at) => call.began - others[at]!.began - JOB_MS);
  const longest = Math.max(0, ...gaps);
  if (longest > STALL_MS) violated(`workers were idle for ${longest} ms while another had a long job`);
  const beside = others.filter(call => call.began < (first.ended ?? Number.POSITIVE_INFINITY));
  if (new Set(beside.map(call => call.process)).size < PROCESSES - 1)
    violated('a worker was idle while jobs waited and another had a long one');
}

/**
 * A call and the key of its audio: the last audio that its process had fetched. The key is certain, because each
 * process runs one job at a time.
 */
interface AudioCall {
  key: string;
  call: SpeechCall;
}

function watchAudio({ fleet }: Harness, provider: SpeechProvider): AudioCall[] {
  const audioCalls: AudioCall[] = [];
  const fetched = new Map<number, string>();
  for (const { index, proxies } of fleet.of('transcription'))
    for (const proxy of proxies.to.s3)
      proxy.tap((frame, direction) => {
        if (direction !== 'request') return;
        const key = /^GET \S*\/submissions\/([^?\s]*)\/audio\.m4a/.exec(frame.toString('latin1', 0, 400))?.[1];
        if (key) fetched.set(index, key);
      });
  provider.onCall = call => void audioCalls.push({ key: fetched.get(call.process) ?? '', call });
  return audioCalls;
}

function atOnce({ violated }: Harness, audioCalls: AudioCall[]): void {
  if (audioCalls.every(({ key }) => !key)) violated('the proxies saw no audio: the case tested nothing');
  for (const [at, { key, call }] of audioCalls.entries())
    for (const later of audioCalls.slice(at + 1))
      if (key && later.key === key && later.call.began < (call.ended ?? Number.POSITIVE_INFINITY))
        violated(`two processes worked on ${key} at once`);
}
