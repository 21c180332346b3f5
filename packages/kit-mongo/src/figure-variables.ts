import { integer } from '@recording-request/kit/config';

const HOUR_SECONDS = 3_600;

/** Variables of services that report figures which cost a query. The services read them only if metrics are sent. */
export const figureVariables = {
  // A reported value is valid for a minute.
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
