#!/usr/bin/env node
import { constants } from 'node:os';
import { run } from './run.ts';

// npm runs a script in the folder of the repository, but paths are relative to the user's folder.
if (process.env.npm_lifecycle_event === 'rr' && process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);

const stop = new AbortController();
let stoppedBy: NodeJS.Signals | undefined;
let stoppedAt = 0;
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(name, () => {
    // A second signal ends the process during the clean-up. npm and the terminal each send the first signal, so signals
    // within 500 ms count as one.
    if (stoppedBy && performance.now() - stoppedAt > 500) process.exit(128 + constants.signals[name]);
    if (stoppedBy) return;
    stoppedBy = name;
    stoppedAt = performance.now();
    stop.abort(new DOMException(`stopped by ${name}`, 'AbortError'));
  });
// A reader of the output, such as head, may close it early.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const code = await run(process.argv.slice(2), process.env, stop.signal);
process.exitCode = stoppedBy ? 128 + constants.signals[stoppedBy] : code;
// Waits until the output is written, then exits, because an abandoned connection may keep the process alive.
await new Promise<void>(resolve => process.stdout.write('', () => resolve()));
await new Promise<void>(resolve => process.stderr.write('', () => resolve()));
process.exit();
