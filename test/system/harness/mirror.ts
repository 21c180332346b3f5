import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { RecordingRequest, Submission } from '@recording-request/client';

const TABLE = 'submissions.csv';
const TRANSCRIPTS = ['txt', 'vtt', 'srt'] as const;

/** Compares the folders of `rr pull` with a project whose clips have neither a reference nor a question. */
export interface MirrorCheck {
  /** Fails unless the folder has exactly the files of the server: names, bytes and table. */
  isSame(folder: string, by?: 'date' | 'reference'): Promise<void>;
  /** Fails if a file has its final name but not the bytes of the server. Files may be missing. */
  isWhole(folder: string, by?: 'date' | 'reference'): Promise<void>;
}

export const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export function mirrorCheck(client: RecordingRequest, projectId: string): MirrorCheck {
  const known = new Map<string, Promise<Map<string, string>>>();
  async function expected(by: 'date' | 'reference' | undefined): Promise<Map<string, string>> {
    const files = new Map<string, string>();
    for (const clip of await client.submissions.list(projectId).all(10_000)) {
      const key = `${clip.submissionId} ${clip.changedAt}`;
      if (!known.has(key)) known.set(key, filesOfClip(client, projectId, clip));
      for (const [name, hash] of await known.get(key)!) files.set(join(folderOf(clip, by), name), hash);
    }
    return files;
  }
  return {
    async isSame(folder, by) {
      const wanted = await expected(by);
      wanted.set(TABLE, hashOf(await client.exports.csv(projectId).bytes()));
      const found = await filesOf(folder);
      assert.deepEqual([...found].sort(), [...wanted].sort());
    },
    async isWhole(folder, by) {
      const wanted = await expected(by);
      for (const [name, hash] of await filesOf(folder))
        if (name !== TABLE) assert.equal(hash, wanted.get(name), `${name} is not the file of the server`);
    },
  };
}

/** Returns the SHA-256 of each file by its path; without the records of `rr pull`. */
export async function filesOf(folder: string): Promise<Map<string, string>> {
  const all = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = all.filter(file => file.isFile() && !file.parentPath.includes('.rr'));
  const hashed = files.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name);
    return [relative(folder, path), hashOf(await readFile(path))] as const;
  });
  return new Map(await Promise.all(hashed));
}

async function filesOfClip(client: RecordingRequest, projectId: string, clip: Submission) {
  const { submissionId, createdAt, transcriptStatus } = clip;
  const files = new Map<string, string>();
  const stem = `${createdAt.slice(0, 19).replace('T', ' ').replaceAll(':', '-')} ${submissionId}`;
  const { sha256, fileName } = await client.submissions.video(projectId, submissionId).info();
  files.set(`${stem}.${fileName!.split('.').at(-1)}`, sha256!);
  if (transcriptStatus === 'completed')
    for (const format of TRANSCRIPTS) {
      const bytes = await client.submissions.transcript(projectId, submissionId, format).bytes();
      files.set(`${stem}.${format}`, hashOf(bytes));
    }
  return files;
}

function folderOf({ createdAt }: Submission, by: 'date' | 'reference' | undefined): string {
  if (by === 'date') return createdAt.slice(0, 10);
  return by === 'reference' ? 'no reference' : '';
}
