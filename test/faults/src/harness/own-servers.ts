import { join } from 'node:path';
import type { ServerName } from '@recording-request/stack/install/ensure';
import { type Servers, startServers } from '@recording-request/stack/servers';
import type { HarnessOptions } from './harness.ts';

/** Servers for one case only. The case may halt them, as if it paused their containers. */
export interface OwnServers {
  /** The value for `HarnessOptions.servers`. */
  start: NonNullable<HarnessOptions['servers']>;
  /** Sends SIGSTOP: connections stay open, and requests are answered after `resume`. */
  halt(name: ServerName): void;
  /** Sends SIGCONT. */
  resume(name: ServerName): void;
}

export function ownServers(...only: ServerName[]): OwnServers {
  let running: Servers | undefined;
  const signal = (name: ServerName, which: NodeJS.Signals) => process.kill(running!.servers[name]!.pid!, which);
  return {
    async start(dataDir, stack) {
      const own = Object.entries(process.env).filter(
        ([name]) => !/^(?:MONGO_URL|KAFKA_BROKERS|S3_|SPEECH_)/.test(name),
      );
      const dir = join(dataDir, 'own-servers');
      running = stack.use(await startServers({ dataDir: dir, only, log: () => {}, env: Object.fromEntries(own) }));
      // Resumes a halted server, because it would not notice the request to stop.
      stack.defer(async () => {
        for (const name of only) signal(name, 'SIGCONT');
      });
      return running.env;
    },
    halt: name => signal(name, 'SIGSTOP'),
    resume: name => signal(name, 'SIGCONT'),
  };
}
