import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { objectVariables } from '@recording-request/kit-objects/variables';
import {
  ConfigError,
  flag,
  integer,
  list,
  listen,
  loadConfig,
  secret,
  secretText,
  splitListen,
  text,
  url,
} from './config.ts';

const spec = {
  name: text('NAME', 'a name'),
  port: integer('PORT', 'a port', { default: 80, min: 1, max: 65_535 }),
  on: flag('ON', 'whether it is on'),
  hosts: list('HOSTS', 'hosts', { default: ['a'] }),
  base: url('BASE', 'an address', { default: 'http://localhost' }),
};

test('values come from the environment, or from the defaults', () => {
  assert.deepEqual(loadConfig({ NAME: 'x', HOSTS: 'b, c', BASE: 'https://h/' }, spec), {
    name: 'x',
    port: 80,
    on: false,
    hosts: ['b', 'c'],
    base: 'https://h',
  });
});

test('every fault is reported at once, by name and never by value', () => {
  assert.throws(
    () => loadConfig({ PORT: '8O', ON: 'yes', BASE: 'secret' }, spec),
    (error: unknown) => {
      assert.ok(error instanceof ConfigError);
      assert.deepEqual(error.faults.map(fault => fault.split(' ')[0]).sort(), ['BASE', 'NAME', 'ON', 'PORT']);
      assert.ok(!/8O|yes|secret/.test(error.message));
      return true;
    },
  );
});

test('one fault is reported in one line, several in a list', () => {
  assert.equal(new ConfigError(['PORT is not set']).message, 'The configuration is not usable: PORT is not set');
  assert.equal(
    new ConfigError(['PORT is not set', 'ON must be true or false']).message,
    'The configuration is not usable:\n  - PORT is not set\n  - ON must be true or false',
  );
});

test('an empty file of an optional secret counts as not set, like an empty variable; a missing file is a fault', async t => {
  const dir = await mkdtemp(join(tmpdir(), 'recording-request-config-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const [empty, none] = [join(dir, 'empty'), join(dir, 'none')];
  await writeFile(empty, '\n');
  const spec = { key: secret('KEY', 'a key', { default: '' }), url: secretText('URL', 'an address', { default: '' }) };
  const { key, url: address } = loadConfig({ KEY_FILE: empty, URL_FILE: empty }, spec);
  assert.deepEqual([key(), address], ['', '']);
  assert.throws(() => loadConfig({ KEY_FILE: none, URL_FILE: none }, spec), {
    faults: ['KEY', 'URL'].map(
      name => `${name} is to come from ${name}_FILE, which names ${none}, which cannot be read (ENOENT)`,
    ),
  });
  assert.throws(() => loadConfig({ KEY_FILE: empty }, { key: secret('KEY', 'a key') }), /which is empty$/);
});

test('a bucket has a name that every store takes', () => {
  const bucket = { s3Bucket: objectVariables.s3Bucket };
  for (const name of ['clips', 'a.b-c', 'x'.repeat(63)])
    assert.deepEqual(loadConfig({ S3_BUCKET: name }, bucket), { s3Bucket: name });
  for (const name of ['t2', 'Clips', 'clips_1', '-clips', 'a..b', 'x'.repeat(64)])
    assert.throws(() => loadConfig({ S3_BUCKET: name }, bucket), /S3_BUCKET must be the name of a bucket: 3 to 63/);
});

test('an address to listen on has a host, which may be IPv6, and a port', () => {
  assert.deepEqual(splitListen('0.0.0.0:8080'), { host: '0.0.0.0', port: 8080 });
  assert.deepEqual(splitListen('[::1]:0'), { host: '::1', port: 0 });
  assert.throws(
    () => listen('LISTEN', 'the address to listen on', '0.0.0.0:80').parse('0.0.0.0:65536', {}),
    /must be host:port/,
  );
});
