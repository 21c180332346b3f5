import { CONSUMERS } from '@recording-request/events/topics';
import type { Stoppable } from '@recording-request/kit/lifecycle';
import { readProgress } from '@recording-request/kit-kafka/progress';
import { createWaitingAges } from '@recording-request/kit-kafka/waiting-ages';
import { startFigures } from '@recording-request/kit-mongo/figures';
import { reportOf } from '@recording-request/kit-telemetry/metrics';
import type { Context } from '../context.ts';
import { JOB_KINDS } from '../domain/clips/submission.ts';

type FiguresContext = Pick<
  Context,
  'config' | 'log' | 'connection' | 'submissions' | 'jobs' | 'deadLetters' | 'figures'
>;

const DEAD_LETTERS_MAX = 1_000;
const reportJobs = reportOf('recording.jobs');
const reportJobAge = reportOf('recording.job.age');
const reportClips = reportOf('recording.clips');
const reportStuck = reportOf('recording.clips.stuck');
const reportStepAge = reportOf('recording.step.age');
const reportOutboxAge = reportOf('recording.outbox.age');
const reportOutboxDepth = reportOf('recording.outbox.depth');
const reportDeadLetters = reportOf('recording.dead_letters');
const reportLag = reportOf('recording.consumer.lag');
const reportConsumerAge = reportOf('recording.consumer.age');
const REPORTS = [
  ...[reportJobs, reportJobAge, reportClips, reportStuck, reportStepAge, reportOutboxAge, reportOutboxDepth],
  ...[reportDeadLetters, reportLag, reportConsumerAge],
];

/** Reports the waiting work and the states of clips. One process reports for all processes. */
export function startReporting(context: FiguresContext): Stoppable {
  const { config, log, connection } = context;
  const ages = createWaitingAges();
  return startFigures({
    ...{ connection, log, seconds: config.figuresSeconds, reports: REPORTS },
    parts: {
      outbox: () => reportOutbox(context),
      steps: () => reportSteps(context),
      jobs: () => reportWork(context),
      consumers: () => reportConsumers(context, ages),
    },
  });
}

const secondsBetween = (since: Date | undefined, now: Date): number =>
  since ? Math.max(0, now.getTime() - since.getTime()) / 1_000 : 0;

async function reportOutbox({ submissions, deadLetters, figures }: FiguresContext): Promise<void> {
  const now = await figures.now();
  const oldest = await submissions.oldestUnpublished();
  reportOutboxAge(secondsBetween(oldest, now), {});
  reportOutboxDepth(oldest ? await figures.outboxDepth() : 0, {});
  reportDeadLetters(await deadLetters.countOpen(DEAD_LETTERS_MAX), {});
}

async function reportSteps({ config, figures }: FiguresContext): Promise<void> {
  const now = await figures.now();
  const stuckBefore = new Date(now.getTime() - config.stuckAfterSeconds * 1_000);
  const steps = {
    landing: await figures.landings(stuckBefore),
    media: await figures.jobsSince('media', stuckBefore),
    transcript: await figures.jobsSince('transcript', stuckBefore),
  };
  for (const [step, { since, stuck }] of Object.entries(steps)) {
    reportStepAge(secondsBetween(since, now), { 'recording.step': step });
    reportStuck(stuck, { 'recording.step': step });
  }
  for (const [state, count] of Object.entries(await figures.clipsByState()))
    reportClips(count, { 'recording.clip.state': state });
}

async function reportWork({ jobs }: FiguresContext): Promise<void> {
  const now = await jobs.now();
  for (const kind of JOB_KINDS) {
    const ofKind = { 'recording.job.kind': kind };
    const counts = await jobs.countByState(kind);
    for (const [state, count] of Object.entries(counts)) reportJobs(count, { ...ofKind, 'recording.job.state': state });
    const [longest] = counts.waiting > 0 ? await jobs.waitingOwners(kind) : [];
    reportJobAge(secondsBetween(longest?.dueAt, now), ofKind);
  }
}

async function reportConsumers({ config }: FiguresContext, ages: ReturnType<typeof createWaitingAges>): Promise<void> {
  await using progress = await readProgress(config);
  for (const [topic, group] of CONSUMERS) {
    const positions = await progress.positions(topic, group);
    const about = {
      'messaging.destination.name': config.kafkaTopicPrefix + topic,
      'messaging.consumer.group.name': config.kafkaTopicPrefix + group,
    };
    reportLag(Number(positions.reduce((sum, { at, end }) => sum + end - at, 0n)), about);
    reportConsumerAge(ages.ageMs(`${topic} ${group}`, positions, performance.now()) / 1_000, about);
  }
}
