import { CONSUMERS } from '@recording-request/events/topics';
import { readProgress } from '@recording-request/kit/kafka-progress';
import { withLease } from '@recording-request/kit/lease';
import { reportOf } from '@recording-request/kit/telemetry/metrics';
import type { Context } from '../context.ts';
import { JOB_KINDS } from '../domain/submission.ts';

type FiguresContext = Pick<Context, 'config' | 'submissions' | 'jobs' | 'deadLetters' | 'figuresLease'>;

const DEAD_LETTERS_MAX = 1_000;
const reportJobs = reportOf('recording.jobs');
const reportJobAge = reportOf('recording.job.age');
const reportOutboxAge = reportOf('recording.outbox.age');
const reportDeadLetters = reportOf('recording.dead_letters');
const reportLag = reportOf('recording.consumer.lag');

/** Reports what stands still, by one process for all. What cannot be read is not reported. */
export async function reportFigures(context: FiguresContext): Promise<void> {
  await withLease(context.figuresLease, async () => {
    await reportStored(context);
    await reportConsumers(context);
  });
}

async function reportStored({ submissions, jobs, deadLetters }: FiguresContext): Promise<void> {
  const now = await jobs.now();
  const ageOf = (since: Date | undefined) => (since ? Math.max(0, now.getTime() - since.getTime()) / 1_000 : 0);
  for (const kind of JOB_KINDS) {
    const ofKind = { 'recording.job.kind': kind };
    for (const [state, count] of Object.entries(await jobs.countByState(kind)))
      reportJobs(count, { ...ofKind, 'recording.job.state': state });
    const [longest] = await jobs.waitingOwners(kind);
    reportJobAge(ageOf(longest?.dueAt), ofKind);
  }
  reportOutboxAge(ageOf(await submissions.oldestUnpublished()), {});
  reportDeadLetters(await deadLetters.countOpen(DEAD_LETTERS_MAX), {});
}

async function reportConsumers({ config }: FiguresContext): Promise<void> {
  await using progress = await readProgress(config);
  for (const [topic, group] of CONSUMERS) {
    const { waiting } = await progress.of(topic, group);
    reportLag(Number(waiting), {
      'messaging.destination.name': config.kafkaTopicPrefix + topic,
      'messaging.consumer.group.name': config.kafkaTopicPrefix + group,
    });
  }
}
