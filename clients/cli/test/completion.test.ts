import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { rr } from './rr.ts';

const run = promisify(execFile);

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
