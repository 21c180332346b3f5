import type { Stoppable } from '@recording-request/kit/lifecycle';
import type { Logger } from '@recording-request/kit/log';
import { startFigures } from '@recording-request/kit-mongo/figures';
import { reportOf } from '@recording-request/kit-telemetry/metrics';
import type { Context } from '../context.ts';

const reportOutboxAge = reportOf('recording.outbox.age');
const reportOutboxDepth = reportOf('recording.outbox.depth');

/** Reports the events that wait for Kafka. One process reports for all processes. */
export function startReporting(
  { config, connection, clock, store }: Pick<Context, 'config' | 'connection' | 'clock' | 'store'>,
  log: Logger,
): Stoppable {
  return startFigures({
    ...{ connection, log, seconds: config.figuresSeconds, reports: [reportOutboxAge, reportOutboxDepth] },
    parts: {
      async outbox() {
        const { oldest, documents } = await store.outbox.unpublished();
        reportOutboxAge(oldest ? Math.max(0, clock.now().getTime() - oldest.getTime()) / 1_000 : 0, {});
        reportOutboxDepth(documents, {});
      },
    },
  });
}
