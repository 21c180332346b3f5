let measuring = false;

/** Whether somebody reads metrics: what costs a query is only then worth it. */
export const isMeasured = (): boolean => measuring;

/** Called once, by what starts the SDK: apart from metrics.ts, whose instruments must not be made before. */
export function startMeasuring(): void {
  measuring = true;
}
