import { integer } from '@recording-request/kit/config';

const HOUR_SECONDS = 3_600;

/** Variables of services with metrics that need a query. A service runs these queries only if it sends metrics. */
export const figureVariables = {
  // At most 30, because a reported value is valid for a minute.
  figuresSeconds: integer('FIGURES_SECONDS', 'the interval at which one process reads these figures', {
    default: 30,
    min: 1,
    max: 30,
  }),
  stuckAfterSeconds: integer(
    'STUCK_AFTER_SECONDS',
    'a clip that waits longer in a step, or an unsent event that is due for longer, counts as stuck',
    { default: 600, min: 1, max: 24 * HOUR_SECONDS },
  ),
};
