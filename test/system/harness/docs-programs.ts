import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ensureStandardWebhooks } from '@recording-request/stack/install/standardwebhooks';
import { ensureTuspy } from '@recording-request/stack/install/tuspy';
import { freePort } from '@recording-request/stack/ports';

const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));
// A program's block has its file name after the language.
const PROGRAM = /^```(?:ts|js|python) ([\w-]+\.\w+)\n([\s\S]*?)^```$/gm;
const PROGRAM_MS = 60_000;

/** A request that an endpoint received, and the secrets of that endpoint. */
export interface SignedCase {
  body: string;
  headers: Record<string, unknown>;
  secrets: string[];
}

/**
 * For each case: the event's type if the first secret verifies the request, and whether any of the secrets signed the
 * request.
 */
type Verdicts = [string | null, boolean][];

/** Writes the programs of a page in Markdown unchanged to a new folder. Returns their names. */
export async function writePrograms(page: string, folder: string): Promise<string[]> {
  const found = [...page.matchAll(PROGRAM)].map(([, name, program]) => [name!, program!] as const);
  await mkdir(folder);
  await symlink(MODULES, join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{ "type": "commonjs" }'); // As npm init makes it.
  for (const [name, program] of found) await writeFile(join(folder, name), program);
  return found.map(([name]) => name);
}

/** Starts a program. Python has `requests` and tuspy. Disposing kills it. */
export async function startProgram(folder: string, file: string, args: string[], env: Record<string, string>) {
  const tuspy = await ensureTuspy({ env: process.env, log: () => {} });
  const runtime = file.endsWith('.py') ? tuspy : { command: process.execPath, env: {} };
  const child = spawn(runtime.command, [file, ...args], {
    cwd: folder,
    env: { ...process.env, ...runtime.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PROGRAM_MS,
  });
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close') as Promise<[number | null]>]);
  return {
    ended: ended.then(([printed, messages, [code]]) => ({ printed, messages, code })),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Runs a program to its end. Returns its output; fails with its messages. */
export async function runProgram(...of: Parameters<typeof startProgram>): Promise<string> {
  const { ended } = await startProgram(...of);
  const { printed, messages, code } = await ended;
  assert.equal(code, 0, `${of[1]}: ${messages}`);
  return printed;
}

// Uses the two documented functions as a receiver does.
const VERDICTS = `
import base64, json, sys
from service_signature import is_signed
from verify_webhook import event_of
verdicts = []
for case in json.load(sys.stdin):
    body, headers, secrets = base64.b64decode(case["body"]), case["headers"], case["secrets"]
    event = event_of(body, headers, secrets[0])
    assert event is None or event["data"]["submission"] is None
    verdicts.append([event and event["type"], is_signed(body, headers, *secrets)])
json.dump(verdicts, sys.stdout)
`;

export async function pythonVerdicts(folder: string, cases: SignedCase[]): Promise<Verdicts> {
  const { command, env } = await ensureStandardWebhooks({ env: process.env, log: () => {} });
  const child = spawn(command, ['-c', VERDICTS], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: PROGRAM_MS,
  });
  child.stdin.end(JSON.stringify(cases));
  return JSON.parse(await text(child.stdout));
}

export async function typescriptVerdicts(folder: string, cases: SignedCase[]): Promise<Verdicts> {
  const load = (file: string) => import(pathToFileURL(join(folder, file)).href);
  const [{ eventOf }, { isSigned }] = await Promise.all([load('verify-webhook.mts'), load('service-signature.mts')]);
  return cases.map(({ body, headers, secrets }) => {
    const bytes = Buffer.from(body, 'base64');
    return [eventOf(bytes, headers, secrets[0])?.type ?? null, isSigned(bytes, headers, ...secrets)];
  });
}

/** Runs a receiver without a secret to its end. */
export async function endOfReceiver(folder: string, file: string) {
  const python = await ensureStandardWebhooks({ env: process.env, log: () => {} });
  const { command, env } = file.endsWith('.py') ? python : { command: process.execPath, env: {} };
  const child = spawn(command, [file], {
    cwd: folder,
    env: { ...process.env, ...env, PORT: '0', WEBHOOK_SECRET: '' },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: PROGRAM_MS,
  });
  const [messages, [code]] = await Promise.all([text(child.stderr), once(child, 'close') as Promise<[number | null]>]);
  return { code, messages };
}

/** Starts a receiver. Returns before it listens. */
export async function startReceiverOf(folder: string, file: string, secret: string) {
  const python = await ensureStandardWebhooks({ env: process.env, log: () => {} });
  const { command, env } = file.endsWith('.py') ? python : { command: process.execPath, env: {} };
  const port = await freePort();
  const child = spawn(command, [file], {
    cwd: folder,
    env: { ...process.env, ...env, PORT: String(port), WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: PROGRAM_MS,
  });
  const closed = once(child, 'close');
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', part => {
    printed += part;
  });
  return {
    port,
    /** Returns the output so far. */
    printed: () => printed,
    url: `http://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
