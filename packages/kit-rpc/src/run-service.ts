import { flushCompileCache } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '@recording-request/kit/bounds';
import { ConfigError } from '@recording-request/kit/config';
import { type RunningService, stopAll } from '@recording-request/kit/lifecycle';
import { createLogger, type Logger } from '@recording-request/kit/log';
import { isOutage } from '@recording-request/kit/outage';
import { endTelemetry } from '@recording-request/kit-telemetry/ending';

// EX_CONFIG of sysexits.h.
const UNUSABLE_CONFIGURATION = 78;

/**
 * Reads the configuration, starts the service, and stops it on SIGTERM or SIGINT, within its STOP_GRACE_SECONDS. Answers
 * grpc.health.v1 from the beginning, with SERVING between the start's end and the stop. While a server is away the start is
 * tried again. Our own, as close-with-grace ends every stop with `process.exit`, which would cut off what is still being flushed.
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
    // A part that does not end must not keep the process alive: what matters is on disk already.
    setTimeout(() => process.exit(1), config.stopGraceSeconds * 1_000).unref();
    if (stop === undefined) process.exit();
    stop().catch(error => {
      // Nothing is lost by it: what was acknowledged is stored.
      log.warn({ err: error }, 'The service did not stop cleanly');
      process.exit(1);
    });
  });
  try {
    // Loads gRPC: what is wrong with the configuration is told before.
    const { startHealth } = await import('./health.ts');
    const health = await startHealth(config.healthListen);
    const service = await startWhenPossible(() => start(config, log), log);
    health.setServing(true);
    log.info('The service is ready');
    // Where NODE_COMPILE_CACHE names a folder, the next start need not compile what this one did, also if this one is killed.
    flushCompileCache();
    stop = async () => {
      health.setServing(false);
      await stopAll([() => service.stop(), () => health.close()]);
      log.info('The service has stopped');
      await endTelemetry();
    };
  } catch (error) {
    // Only found when it was tried, such as a certificate that has expired.
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

/** A server that is away comes back without anybody changing this service: ending would only make the next start later. */
async function startWhenPossible(start: () => Promise<RunningService>, log: Logger): Promise<RunningService> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await start();
    } catch (error) {
      if (!isOutage(error)) throw error;
      log.warn({ err: error }, `${awayServer(error as Error)} cannot be reached: the service starts once it can`);
      await delay(backoffMs(attempt, 500, 5_000));
    }
  }
}

function awayServer({ name }: Error): string {
  if (name.startsWith('Mongo')) return 'MongoDB';
  return /^(Kafka|Publish)/.test(name) ? 'Kafka' : 'The object store';
}

function refuse(name: string, error: ConfigError): void {
  process.stderr.write(`${name}: ${error.message}\n`);
  process.exitCode = UNUSABLE_CONFIGURATION;
}
