import { every, type RunningService, stopAll } from '@recording-request/kit/lifecycle';
import type { Logger } from '@recording-request/kit/log';
import { implement } from '@recording-request/kit-rpc/grpc-server';
import { startListeners } from '@recording-request/kit-rpc/listeners';
import { isMeasured } from '@recording-request/kit-telemetry/signals';
import { type AccountsServiceServer, AccountsServiceService } from '@recording-request/proto/accounts/v1/accounts';
import { callers } from '@recording-request/proto/callers';
import {
  type ProjectsOperatorServiceServer,
  ProjectsOperatorServiceService,
} from '@recording-request/proto/operator/v1/projects';
import { type ProjectsServiceServer, ProjectsServiceService } from '@recording-request/proto/projects/v1/projects';
import { startPublishing } from './adapters/publishing.ts';
import type { Config } from './config.ts';
import { openContext } from './context.ts';
import { accountsHandlers, operatorHandlers, projectsHandlers } from './rpc/handlers.ts';
import { startReporting } from './workflows/report-figures.ts';
import { requireKeys } from './workflows/require-keys.ts';
import { sendReminders } from './workflows/send-reminders.ts';
import { sweep } from './workflows/sweep.ts';

export interface ProjectsService extends RunningService {
  /** The addresses for other services and for the operator, `host:port`. */
  grpcAddress: string;
  operatorAddress: string;
}

/** Opens the context, serves the RPCs and runs the sweeper. */
export async function startService(config: Config, log: Logger): Promise<ProjectsService> {
  const context = await openContext(config, log);
  const giveUp = async (error: unknown): Promise<never> => {
    await context[Symbol.asyncDispose]();
    throw error;
  };
  await requireKeys(context, log).catch(giveUp);
  if (config.allowHttpUrls) log.warn('ALLOW_HTTP_URLS is on: requestUrl and webhookUrl may be plain http');
  const publishing = await startPublishing(context, log).catch(giveUp);
  const stopPublishing = () => publishing[Symbol.asyncDispose]();
  const listeners = await startListeners({
    config,
    internal: context.internal,
    callers,
    services: [
      implement<AccountsServiceServer>(AccountsServiceService, accountsHandlers(context)),
      implement<ProjectsServiceServer>(ProjectsServiceService, projectsHandlers(context)),
      implement<ProjectsOperatorServiceServer>(ProjectsOperatorServiceService, operatorHandlers(context)),
    ],
    log,
  }).catch(async error => {
    await stopPublishing();
    return await giveUp(error);
  });
  const stopping = new AbortController();
  const remind = async () => void (await sendReminders(context, log, stopping.signal));
  const loops = [
    every(config.claimSweepSeconds * 1000, () => sweep(context), { log, name: 'claims' }),
    every(config.reminderSweepSeconds * 1000, remind, { log, name: 'reminders' }),
    ...(isMeasured() ? [startReporting(context, log)] : []),
  ];
  const stop = () =>
    stopAll([
      () => stopping.abort(),
      ...loops.map(loop => () => loop.stop()),
      () => listeners.close(),
      stopPublishing,
      () => context[Symbol.asyncDispose](),
    ]);
  const { grpcAddress, operatorAddress } = listeners;
  return { grpcAddress, operatorAddress, stop, [Symbol.asyncDispose]: stop };
}
