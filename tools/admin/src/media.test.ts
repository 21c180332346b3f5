import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DomainError } from '@recording-request/kit/errors';
import type {
  RetriedMedia,
  RetryMediaRequest,
  RetryMediaResponse,
} from '@recording-request/proto/operator/v1/submissions';
import type { MediaCommand } from './command.ts';
import { retryMedia } from './media.ts';

const COMMAND: MediaCommand = {
  ...{ name: 'media retry', status: 'both', dryRun: false },
  from: new Date('2026-03-02T10:00:00Z'),
  to: new Date('2026-03-02T14:00:00Z'),
};
const clip = (fields: Partial<RetriedMedia> = {}): RetriedMedia => ({
  ...{ projectId: 'p', submissionId: 's', createdAt: COMMAND.from, mediaError: 'The clip is damaged.', left: '' },
  ...fields,
});

/** Runs the command against a service that returns these results, one per call. */
async function run(command: MediaCommand, ...answers: (Partial<RetryMediaResponse> | Error)[]) {
  const asked: RetryMediaRequest[] = [];
  const service = {
    async retryMedia(request: RetryMediaRequest) {
      asked.push(request);
      const answer = answers[asked.length - 1]!;
      if (answer instanceof Error) throw answer;
      return { nextCursor: '', lookedAt: 0, clips: [], ...answer };
    },
  };
  return { report: await retryMedia(service as never, command, { show: () => {} }), asked };
}

test('walks the range to its end, and reports retried and skipped clips, with reasons', async () => {
  const { report, asked } = await run(
    COMMAND,
    { nextCursor: 's9', lookedAt: 200, clips: [clip()] },
    { lookedAt: 7, clips: [clip({ left: 'The upload is not kept.' })] },
  );
  assert.deepEqual(
    asked.map(({ cursor, failed, withError }) => [cursor, failed, withError]),
    [
      ['', true, true],
      ['s9', true, true],
    ],
  );
  assert.match(report.lines.join('\n'), /The clip is damaged\. +The upload is not kept\./);
  assert.equal(report.lines.at(-1), 'looked at 207 clips: the media of 1 are made again; 1 skipped');
});

test('skips clips of another status, and marks a dry run', async () => {
  const { report, asked } = await run({ ...COMMAND, status: 'failed', dryRun: true }, { lookedAt: 1, clips: [clip()] });
  assert.partialDeepStrictEqual(asked, [{ failed: true, withError: false, dryRun: true }]);
  assert.match(report.lines.at(-1)!, /1 would be made again/);
  const other = await run({ ...COMMAND, status: 'with-error' }, {});
  assert.partialDeepStrictEqual(other.asked, [{ failed: false, withError: true }]);
});

test('shows a thousand clips and counts all', async () => {
  const { report } = await run(COMMAND, { lookedAt: 2_500, clips: Array.from({ length: 2_500 }, () => clip()) });
  assert.ok(report.lines.includes('and 1,500 more'));
});

test('reports its progress when the service fails', async () => {
  const away = new DomainError('unavailable', 'The service does not answer.');
  await assert.rejects(run(COMMAND, { nextCursor: 's9', lookedAt: 200, clips: [clip()] }, away), {
    code: 'unavailable',
    message: /the media of 1 are made again; .* the rest not: The service does not answer/,
  });
});
