import { flushCompileCache } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '@recording-request/kit/bounds';
import { ConfigError } from '@recording-request/kit/config';
import { type RunningService, stopAll } from '@recording-request/kit/lifecycle';
import { createLogger, type Logger } from '@recording-request/kit/log';
import { isOutage } from '@recording-request/kit/outage';
import { endTelemetry } from '@recording-request/kit-telemetry/ending';
import { unreachableServer } from './unreachable.ts';

// EX_CONFIG of sysexits.h.
const UNUSABLE_CONFIGURATION = 78;

/**
 * Reads the configuration, starts the service, and stops it on SIGTERM or SIGINT within STOP_GRACE_SECONDS. Serves
 * grpc.health.v1 from before the start; its status is SERVING once the service has started, until the stop begins. Retries the start while a
 * server is down. Does not use close-with-grace, which ends each stop with `process.exit` and so loses data that is
 * still being flushed.
 */
export async function runService<C extends { logLevel: string; stopGraceSeconds: number; healthListen: string }>(
  name: string,
  readConfig: (env: NodeJS.ProcessEnv) => C,
  start: (config: C, log: Logger) => Promise<RunningService>,
): Promise<void> {
  let config: C;
  try {
    config = readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return refuse(name, error);
  }
  const log = createLogger(name, config.logLevel);
  let stop: (() => Promise<void>) | undefined;
  onceSignalled(() => {
    // A part that does not stop must not keep the process alive. No acknowledged data is lost, because it is already on
    // disk.
    setTimeout(() => process.exit(1), config.stopGraceSeconds * 1_000).unref();
    if (stop === undefined) process.exit();
    stop().catch(error => {
      // Only warns, because all acknowledged data is already stored.
      log.warn({ err: error }, 'The service did not stop cleanly');
      process.exit(1);
    });
  });
  try {
    // Loads gRPC only now, so that the process reports a configuration error first.
    const { startHealth } = await import('./health.ts');
    const health = await startHealth(config.healthListen);
    const service = await startWhenPossible(() => start(config, log), log);
    health.setServing(true);
    log.info('The service is ready');
    // With NODE_COMPILE_CACHE, the next start reuses compiled code, even if this process is killed.
    flushCompileCache();
    stop = async () => {
      health.setServing(false);
      await stopAll([() => service.stop(), () => health.close()]);
      log.info('The service has stopped');
      await endTelemetry();
    };
  } catch (error) {
    // Some errors appear only at use, such as an expired certificate.
    if (error instanceof ConfigError) {
      refuse(name, error);
      process.exit();
    }
    log.fatal({ err: error }, 'The service could not start');
    process.exit(1);
  }
}

function onceSignalled(stop: () => void): void {
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      if (stopping) return;
      stopping = true;
      stop();
    });
}

/** Starts the service. Retries while a server is down, because an exit would only delay the next start. */
async function startWhenPossible(start: () => Promise<RunningService>, log: Logger): Promise<RunningService> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await start();
    } catch (error) {
      if (!isOutage(error)) throw error;
      log.warn({ err: error }, `${unreachableServer(error as Error)} cannot be reached; the start will be retried`);
      await delay(backoffMs(attempt, 500, 5_000));
    }
  }
}

function refuse(name: string, error: ConfigError): void {
  process.stderr.write(`${name}: ${error.message}\n`);
  process.exitCode = UNUSABLE_CONFIGURATION;
}
