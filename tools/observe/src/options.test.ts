import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseObserveOptions } from './options.ts';

test('the page and the API have separate ports, and clips are recorded by default', () => {
  const { clips, port, apiPort, data } = parseObserveOptions(['--port', '9000', '--api-port', '9001', '--no-clips']);
  assert.deepEqual({ clips, port, apiPort, data }, { clips: false, port: 9000, apiPort: 9001, data: '.stack' });
  assert.equal(parseObserveOptions([]).clips, true);
  assert.throws(() => parseObserveOptions(['--api-port', 'x']), /takes a whole number from 1 to 65535/);
  assert.throws(() => parseObserveOptions(['--nope']), /nope/);
});
