import type { InstallContext } from '@recording-request/stack/install/context';
import { ensureAlertmanager } from './alertmanager.ts';
import { ensureCollector } from './collector.ts';
import { ensurePrometheus, type PrometheusInstall } from './prometheus.ts';
import { ensureZipkin, type ZipkinInstall } from './zipkin.ts';

/** The paths of the observability servers. */
export interface ObservabilityInstall extends PrometheusInstall {
  collector: string;
  alertmanager: string;
  zipkin: ZipkinInstall;
}

/** Finds or installs all of them, once per machine. Rejects with a sentence that names the missing program. */
export async function ensureObservability(context: InstallContext): Promise<ObservabilityInstall> {
  // Downloads first, so that a machine without a registry fails before the long builds. Builds in sequence, because two
  // builds at once would only compete for the processor.
  const prometheus = await ensurePrometheus(context);
  const zipkin = await ensureZipkin(context);
  const alertmanager = await ensureAlertmanager(context);
  return { ...prometheus, zipkin, alertmanager, collector: await ensureCollector(context) };
}
