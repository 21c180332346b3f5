import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SubmissionJson } from '@recording-request/contract/resources/submission';
import type { Entry } from '../contributors/ledger.ts';
import { picturesOf } from '../contributors/takes.ts';
import type { Owner } from '../owner/owner.ts';

/** Downloads clips as the owner does. Checks size and pictures, or the bytes of a clip without media. */
export async function downloadViolations(
  owner: Owner,
  submissions: SubmissionJson[],
  entries: Entry[],
): Promise<string[]> {
  const violations: string[] = [];
  const dir = await mkdtemp(join(tmpdir(), 'recording-request-faults-'));
  try {
    for (const { submissionId, videoUrl, fileSize, sha256, mediaStatus } of submissions) {
      const take = entries.find(entry => entry.take.sha256 === sha256)?.take;
      const answer = await owner.ask(new URL(videoUrl).pathname);
      if (answer.status !== 200 || answer.bytes.length !== fileSize) {
        violations.push(
          `the video of ${submissionId} returns ${answer.status} with ${answer.bytes.length} bytes, not ${fileSize}`,
        );
        continue;
      }
      if (!take) continue;
      if (mediaStatus !== 'ready') {
        const got = createHash('sha256').update(answer.bytes).digest('hex');
        if (got !== sha256) violations.push(`the video of ${submissionId} does not have the sent bytes`);
        continue;
      }
      const path = join(dir, submissionId);
      await writeFile(path, answer.bytes);
      if ((await picturesOf(path)) !== take.pictures)
        violations.push(`the video of ${submissionId} does not have the sent pictures`);
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
  return violations;
}
