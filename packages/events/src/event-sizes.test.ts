import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Event } from '@recording-request/proto/events/v1/events';
import { newEvent } from './event.ts';
import { outboxEntry } from './kafka.ts';
import { areLong } from './long-texts.ts';
import type { EventType } from './topics.ts';

const EVENT_BYTES = 200_000;

type WorkerEvent = Exclude<
  EventType,
  | `submission.${string}`
  | 'response.completed'
  | 'owner.event'
  | 'person.erased'
  | `project.${string}`
  | `link.${string}`
>;

test('the largest event of each worker type is far below the limit of a Kafka record', () => {
  const ids = { projectId: 'p'.repeat(36), submissionId: 's'.repeat(36), requestNumber: 9 };
  const reason = '😀'.repeat(1_000);
  const stored = { key: 'k'.repeat(200), size: 2 ** 31, mimeType: 'video/webm', sha256: 'ab'.repeat(32), crc32: 1 };
  const inspection = {
    ...{ container: 'webm', durationSec: 600, hasAudio: true, videoCodec: 'vp9', audioCodec: 'opus' },
    ...{ width: 1920, height: 1080, lastFrameSec: 600, videoPackets: 1, audioPackets: 1 },
    keyFrames: Array.from({ length: 1_000 }, (_, at) => at / 3),
    // The maximum number of streams that Inspect reads.
    tracks: Array.from({ length: 64 }, (_, stream) => ({
      ...{ stream, kind: 'video', codec: 'h264', packets: 200_000, bytes: 2 ** 31, startSec: 0.1, endSec: 600.1 },
      ...{
        descriptions: 200_000,
        channels: 0,
        looks: Array.from({ length: 10 }, () => 'turn '.padEnd(100, '-65536 ')),
      },
    })),
  };
  const [text, vtt] = ['x'.repeat(40_000), 'y'.repeat(60_000)];
  assert.ok(!areLong(text, vtt) && areLong(text, vtt, 'z'), 'the longest texts that an event carries itself');
  const payloads: Record<WorkerEvent, Array<NonNullable<Event['payload']>>> = {
    'media.processed': [
      {
        $case: 'mediaProcessed',
        value: { ...ids, video: stored, audio: stored, thumbnails: [stored, stored, stored], inspection },
      },
    ],
    'media.failed': [{ $case: 'mediaFailed', value: { ...ids, reason, clipAtFault: true } }],
    'transcript.completed': [
      { $case: 'transcriptCompleted', value: { ...ids, text, vtt } },
      { $case: 'transcriptStored', value: { ...ids, key: stored.key } },
    ],
    'transcript.failed': [{ $case: 'transcriptFailed', value: { ...ids, reason, clipAtFault: true } }],
  };
  for (const [type, some] of Object.entries(payloads)) {
    for (const payload of some) {
      const bytes = outboxEntry(newEvent(type as WorkerEvent, payload)).value.length;
      assert.ok(bytes <= EVENT_BYTES, `${type} has ${bytes} bytes`);
    }
  }
});
