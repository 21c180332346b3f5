import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeAuthority } from '@recording-request/stack/authority';
import { isWhole } from './tls-files.ts';

test('an empty, truncated or damaged file of authorities does not replace the previous one', async () => {
  const [{ cert }, other] = [await makeAuthority(), await makeAuthority()];
  const middle = Math.floor(cert.length / 2);
  const damaged = `${cert.slice(0, middle)}!${cert.slice(middle + 1)}`;
  for (const text of ['', 'nothing', cert.slice(0, -30), cert + other.cert.slice(0, 200), damaged])
    assert.equal(isWhole(Buffer.from(text)), false, text);
  for (const text of [cert, cert + other.cert, cert.trimEnd() + other.cert])
    assert.equal(isWhole(Buffer.from(text)), true, text);
});
