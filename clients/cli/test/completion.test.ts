import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { rr } from './rr.ts';

const run = promisify(execFile);
const DRIVER = fileURLToPath(new URL('complete.zsh', import.meta.url));

test('bash completes commands, groups, options and choices', async () => {
  const { stdout: script, code } = await rr('http://127.0.0.1:9', ['completion', 'bash'], tmpdir());
  assert.equal(code, 0);
  const complete = async (...words: string[]) => {
    const set = `COMP_WORDS=(${words.map(word => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}`;
    const { stdout } = await run('bash', ['-c', `${script}\n${set}\n_rr\necho "\${COMPREPLY[*]}"`]);
    return stdout.trim();
  };
  assert.equal(await complete('rr', 'pro'), 'projects');
  assert.equal(await complete('rr', 'projects', 'cl'), 'close');
  assert.equal(await complete('rr', 'pull', 'p', 'd', '--ke'), '--keep-erased');
  assert.equal(await complete('rr', 'pull', 'p', 'd', '--by', ''), 'reference question date');
  assert.equal(await complete('rr', 'projects', 'erase', 'p', '--y'), '--yes');
  assert.equal(await complete('rr', 'completion', 'z'), 'zsh');
  assert.equal(await complete('rr', 'pull', 'p', ''), '', 'file names');
});

test('zsh completes commands, groups, options, choices and files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'recording-request-zsh-'));
  try {
    const { stdout: script } = await rr('http://127.0.0.1:9', ['completion', 'zsh'], tmpdir());
    await writeFile(join(folder, 'rr.zsh'), script);
    await mkdir(join(folder, 'work/clips'), { recursive: true });
    const complete = async (text: string) => {
      const args = ['-f', DRIVER, join(folder, 'rr.zsh'), text];
      const env = { ...process.env, HOME: folder, ZDOTDIR: folder, TERM: 'dumb' };
      const { stdout } = await run('zsh', args, { cwd: join(folder, 'work'), env, timeout: 60_000 });
      return stdout.trim();
    };
    assert.equal(await complete('rr pro'), 'rr projects');
    assert.equal(await complete('rr projects cl'), 'rr projects close');
    assert.equal(await complete('rr pull p d --ke'), 'rr pull p d --keep-erased');
    assert.equal(await complete('rr pull p d --by q'), 'rr pull p d --by question');
    assert.equal(await complete('rr completion z'), 'rr completion zsh');
    assert.equal(await complete('rr pull p cl'), 'rr pull p clips/', 'file names');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
