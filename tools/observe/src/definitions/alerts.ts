import type { Alert } from './alert.ts';
import { PROCESS_ALERTS } from './alerts/processes.ts';
import { SERVER_ALERTS } from './alerts/servers.ts';
import { WAIT_ALERTS } from './alerts/waits.ts';
import { burnRateAlerts } from './burn-rates.ts';

/** Every alert, causes first. */
export const ALERTS: readonly Alert[] = [...SERVER_ALERTS, ...PROCESS_ALERTS, ...WAIT_ALERTS, ...burnRateAlerts()];

/** The names of the alerts, and of their runbooks. */
export const alertNames = (): string[] => [...new Set(ALERTS.map(({ name }) => name))];
