import type { Stoppable } from '@recording-request/kit/lifecycle';
import type { Logger } from '@recording-request/kit/log';
import { startFigures } from '@recording-request/kit-mongo/figures';
import { reportOf } from '@recording-request/kit-telemetry/metrics';
import type { Context } from '../context.ts';

const reportOutboxAge = reportOf('recording.outbox.age');
const reportOutboxDepth = reportOf('recording.outbox.depth');
const reportSandboxAge = reportOf('recording.sandboxes.age');

/** Reports the events that wait for Kafka, and ended sandboxes. One process reports for all processes. */
export function startReporting(
  { config, connection, clock, store }: Pick<Context, 'config' | 'connection' | 'clock' | 'store'>,
  log: Logger,
): Stoppable {
  return startFigures({
    ...{
      connection,
      log,
      seconds: config.figuresSeconds,
      reports: [reportOutboxAge, reportOutboxDepth, reportSandboxAge],
    },
    parts: {
      async outbox() {
        const { oldest, documents } = await store.outbox.unpublished();
        reportOutboxAge(oldest ? Math.max(0, clock.now().getTime() - oldest.getTime()) / 1_000 : 0, {});
        reportOutboxDepth(documents, {});
      },
      async sandboxes() {
        const [end, now] = [await store.projects.firstSandboxEnd(), clock.now()];
        reportSandboxAge(end && end < now ? (now.getTime() - end.getTime()) / 1_000 : 0, {});
      },
    },
  });
}
