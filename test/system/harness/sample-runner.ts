import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ensureTuspy } from '@recording-request/stack/install/tuspy';

const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const LIMIT_MS = 400_000;
const DONE = '@@done ';

/** The languages of the samples of an operation. */
export type Language = 'curl' | 'typescript' | 'python';

/** Runs programs of one language, one after the other, in one folder. */
export interface SampleRunner extends AsyncDisposable {
  folder: string;
  /** Runs a program. Returns its error, or an empty text if it succeeds. */
  run(name: string, program: string): Promise<string>;
}

// Each runner reads program names from stdin. For each program, it prints a line with the error in base64.
const BASH = `
while read -r name; do
  if (mkdir "$name" && cd "$name" && ln ../clip.webm ../logo.png . && bash -euo pipefail "../$name.sh") > output.txt 2> error.txt
  then echo '${DONE}'
  else echo '${DONE}'"$(cat error.txt output.txt | base64 -w 0)"
  fi
done`;
const NODE = `
import { createInterface } from 'node:readline';
for await (const name of createInterface({ input: process.stdin })) {
  const error = await import(process.cwd() + '/' + name + '.ts').then(() => '', error => String(error));
  console.log('${DONE}' + Buffer.from(error).toString('base64'));
}`;
const PYTHON = `
import base64, sys, traceback
for line in sys.stdin:
    error = ""
    try:
        exec(open(line.strip() + ".py").read(), {})
    except BaseException:
        error = traceback.format_exc()
    print("${DONE}" + base64.b64encode(error.encode()).decode(), flush=True)
`;

const COMMANDS: Record<Language, (python: string) => [command: string, args: string[], ending: string]> = {
  curl: () => ['bash', ['-c', BASH], 'sh'],
  typescript: () => [process.execPath, ['--input-type=module', '-e', NODE], 'ts'],
  python: python => [python, ['-c', PYTHON], 'py'],
};

/** Starts a runner in `folder`, which may also contain files for the programs to read. */
export async function startSampleRunner(
  language: Language,
  folder: string,
  variables: Record<string, string>,
): Promise<SampleRunner> {
  await mkdir(folder, { recursive: true });
  await symlink(MODULES, join(folder, 'node_modules'));
  const tuspy = await ensureTuspy({ env: process.env, log: () => {} });
  const [command, args, ending] = COMMANDS[language](tuspy.command);
  const env = language === 'python' ? tuspy.env : {};
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...process.env, ...env, ...variables },
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: LIMIT_MS,
  });
  const closed = once(child, 'close');
  child.stdin.on('error', () => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    folder,
    async run(name, program) {
      await writeFile(join(folder, `${name}.${ending}`), program);
      child.stdin.write(`${name}\n`);
      for (;;) {
        const { value, done } = await lines.next();
        if (done) throw new Error(`${command} ended while it ran ${name}`);
        if (value.startsWith(DONE)) return Buffer.from(value.slice(DONE.length), 'base64').toString();
      }
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await closed;
    },
  };
}
