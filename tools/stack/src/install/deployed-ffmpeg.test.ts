import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sourcesOnly } from './deployed-ffmpeg.ts';

test('turns package lists of both formats into source lists of the same place', () => {
  const deb822 = 'Types: deb deb-src\nURIs: http://packages.example\nSuites: stable\nSigned-By: /keys/archive.gpg\n';
  assert.equal(sourcesOnly(deb822), deb822.replace('deb deb-src', 'deb-src'));
  const lines = '# deb is commented out\ndeb [signed-by=/keys/archive.gpg] http://packages.example stable main\n';
  assert.equal(sourcesOnly(lines), lines.replace('\ndeb ', '\ndeb-src '));
});
