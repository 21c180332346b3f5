import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

const COMMAND = import.meta.resolve('./command.ts');
const KIT = import.meta.resolve('@recording-request/kit/command-line');

/**
 * Runs a command with these arguments; `body` is the body of its `run`. Sends `signals` once the command has printed a
 * line.
 */
async function outcome(body: string, args: string[] = [], signals: NodeJS.Signals[] = []) {
  const program = `
    import { print, runCommand } from ${JSON.stringify(COMMAND)};
    import { parseCommandLine } from ${JSON.stringify(KIT)};
    const parse = args => parseCommandLine({ args, options: { help: { type: 'boolean' } } }).values;
    await runCommand({ help: 'how to', parse, async run(options, signal) { ${body} } });`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program, '--', 'command', ...args]);
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  if (signals.length > 0) {
    await once(child.stdout, 'data');
    for (const signal of signals) child.kill(signal);
  }
  const [code] = await once(child, 'close');
  const [out, err] = await said;
  return { code, out, err };
}

const UNTIL_STOPPED = `
  print('runs');
  const still = setInterval(() => {}, 1_000);
  await new Promise(resolve => signal.addEventListener('abort', resolve));`;

test('exits with the returned status, despite open handles', async () => {
  const kept = 'setInterval(() => {}, 1_000); return 3;';
  assert.deepEqual(await outcome(kept), { code: 3, out: '', err: '' });
  assert.equal((await outcome('')).code, 0);
});

test('exits with 2 for wrong arguments and 1 for a failure, each with one sentence', async () => {
  assert.deepEqual(await outcome('', ['--bogus']), {
    ...{ code: 2, out: '', err: 'There is no option --bogus. See --help.\n' },
  });
  assert.deepEqual(await outcome("throw new Error('It is away.')"), { code: 1, out: '', err: 'It is away.\n' });
});

test('--help prints the help and runs nothing', async () => {
  assert.deepEqual(await outcome("throw new Error('it ran')", ['--help']), { code: 0, out: 'how to', err: '' });
});

test('a signal aborts once, and sets the status of a command that fails, not of one that succeeds', async () => {
  const twice: NodeJS.Signals[] = ['SIGINT', 'SIGINT'];
  const givenUp = await outcome(`${UNTIL_STOPPED} throw signal.reason;`, [], twice);
  assert.deepEqual(givenUp, { code: 130, out: 'runs\n', err: 'SIGINT: stopping …\n' });
  assert.equal((await outcome(UNTIL_STOPPED, [], ['SIGTERM'])).code, 0);
});
