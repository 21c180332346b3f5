import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { after, test } from 'node:test';
import { startMeasured } from '@recording-request/testing/measured';

const measured = startMeasured();
after(() => measured[Symbol.asyncDispose]());
// Import this only after the SDK has started, because an instrument belongs to the provider that exists when the code
// creates the instrument.
const { createStreamLimiter } = await import('./stream-limiter.ts');

test('reports the open streams until their connections close', async () => {
  const limiter = createStreamLimiter('videos', 8);
  const used = () => measured.seriesOf('recording.slots.used');
  const of = (value: number) => [{ attributes: { 'recording.slot.kind': 'video' }, value }];
  const open = () => {
    const raw = Object.assign(new EventEmitter(), { destroyed: false });
    limiter({ dashboard: { ownerId: 'owner', projectId: 'project' } } as never, { raw } as never);
    return raw;
  };
  assert.deepEqual(await used(), of(0));
  const [first] = [open(), open()];
  assert.deepEqual(await used(), of(2));
  first.emit('close');
  assert.deepEqual(await used(), of(1));
  limiter.end();
  assert.deepEqual(await used(), []);
});
