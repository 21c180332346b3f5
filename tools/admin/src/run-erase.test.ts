import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EraseCommand } from './command.ts';
import type { EraseServices } from './erase.ts';
import { NotDone, runErase } from './run-erase.ts';

/** The services as they answer for a submission; what they were asked, in order. */
function answering() {
  const asked: string[] = [];
  const services = {
    submissions: {
      async eraseSubmission({ dryRun }: { dryRun: boolean }) {
        asked.push(`submissions${dryRun ? ' dry' : ''}`);
        return { projectId: 'P', erased: { submissions: 1 }, recordsEndAt: new Date(0) };
      },
    },
    webhooks: {
      async eraseSubmission({ projectId, dryRun }: { projectId: string; dryRun: boolean }) {
        asked.push(`webhooks of ${projectId}${dryRun ? ' dry' : ''}`);
        return { erased: { payloads: 2, undelivered: 0 } };
      },
    },
  };
  return { asked, services: services as unknown as EraseServices };
}

const command = (options: Partial<EraseCommand> = {}): EraseCommand => ({
  name: 'erase submission',
  id: 'S',
  yes: false,
  dryRun: false,
  ...options,
});
const DRY = ['submissions dry', 'webhooks of P dry'];
const DONE = ['submissions dry', 'webhooks of P', 'submissions'];

test('nothing is erased without a yes: of a person who types it, or by --yes', async () => {
  for (const [answer, expected] of [
    ['erase', [...DRY, ...DONE]],
    ['yes', DRY],
    ['', DRY],
  ] as const) {
    const { asked, services } = answering();
    const shown: string[] = [];
    const terminal = { ask: async () => answer, show: (line: string) => void shown.push(line) };
    await runErase(services, command(), terminal).catch(error => assert.ok(error instanceof NotDone));
    assert.deepEqual(asked, expected, `after "${answer}"`);
    assert.match(shown.join('\n'), /1 submission\n.*2 payloads/);
  }
  const { asked, services } = answering();
  const nobody = { ask: undefined, show: () => {} };
  await assert.rejects(runErase(services, command(), nobody), /Nothing was erased: add --yes/);
  await runErase(services, command({ dryRun: true }), nobody);
  assert.deepEqual(asked, [...DRY, ...DRY]);
  const { lines } = await runErase(services, command({ yes: true }), nobody);
  assert.deepEqual(asked.slice(4), DONE);
  assert.match(lines.join('\n'), /^submission S is erased\n/);
});
