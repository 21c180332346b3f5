import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectVariables } from '@recording-request/kit-objects/variables';
import { ConfigError, flag, integer, list, listen, loadConfig, splitListen, text, url } from './config.ts';

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
