import { runService } from '@recording-request/kit-rpc/run-service';
import { readConfig } from './config.ts';

await runService('webhooks', readConfig, async (config, log) => {
  const { startService } = await import('./service.ts');
  return startService(config, log);
});
