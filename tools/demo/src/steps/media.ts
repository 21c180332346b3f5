import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectAnswer } from '@recording-request/harness/http-client';
import { check, checkEqual } from '../check.ts';
import { difference, greyFrames, hasIndex, probe, seek } from '../media-tools.ts';
import type { Owner } from '../owner.ts';
import type { Show } from '../show.ts';
import type { Settled } from './settle.ts';

/** The distance between key frames, in seconds. A seek or a thumbnail may be wrong by this time. */
const KEY_FRAME_SEC = 2;
const DURATION_TOLERANCE_SEC = 0.3;
const MIN_DIFFERENCE = 1;
const FRAMES_PER_SECOND = 5;

/** The bytes of each clip's video, as the video route returned them, by submission. */
export type Videos = Map<string, Buffer>;

/** Fetches every clip's video, thumbnails and audio, and inspects the files. */
export async function checkMedia(show: Show, owner: Owner, clips: Settled[]): Promise<Videos> {
  const videos: Videos = new Map();
  for (const one of clips) {
    await show.play(`${one.name}: video, thumbnails, audio`, async note => {
      const dir = join(show.resultsDir, one.name);
      await mkdir(dir, { recursive: true });
      const { path, bytes } = await checkVideo(owner, one, dir, note);
      videos.set(one.submission.submissionId, bytes);
      await checkRanges(owner, one, bytes);
      await checkThumbnails(owner, one, { dir, video: path }, note);
      await checkAudio(owner, one, dir, note);
    });
  }
  return videos;
}

type Note = (figure: string) => void;

async function fetchFile(owner: Owner, url: string | null, type: string, path: string): Promise<Buffer> {
  check(`an address for ${path}`, url !== null, url);
  const answer = await owner.get(url!);
  expectAnswer(answer, 200, type);
  await writeFile(path, answer.bytes);
  return answer.bytes;
}

async function checkVideo(owner: Owner, { name, landed, submission }: Settled, dir: string, note: Note) {
  const extension = landed.clip.mimeType.startsWith('video/webm') ? 'webm' : 'mp4';
  const path = join(dir, `video.${extension}`);
  const bytes = await fetchFile(owner, submission.videoUrl, 'application/octet-stream', path);
  checkEqual(`the size of ${name}'s video`, bytes.length, submission.fileSize);
  const { durationSec = -1, container, codecs } = await probe(path);
  const wanted = landed.clip.durationSec;
  check(`${name}'s video to be ${wanted} s`, Math.abs(durationSec - wanted) <= DURATION_TOLERANCE_SEC, durationSec);
  check(`${name}'s video to have an index`, hasIndex(bytes, container), 'none');
  const sent = await probe(landed.clip.path);
  checkEqual(`${name}'s codecs, as they were sent`, codecs, sent.codecs);
  const middle = durationSec / 2;
  const found = await seek(path, middle);
  const isNear = found <= middle + 0.1 && found >= middle - KEY_FRAME_SEC - 0.1;
  check(`a player that jumps to ${middle.toFixed(1)} s of ${name} to land near it`, isNear, `${found} s`);
  note(
    `${codecs.join('/')} ${durationSec.toFixed(2)} s, a jump to ${middle.toFixed(1)} s shows the key frame at ${found.toFixed(1)} s`,
  );
  return { path, bytes };
}

/** Makes the range requests of a player whose user seeks. */
async function checkRanges(owner: Owner, { submission }: Settled, bytes: Buffer): Promise<void> {
  const start = Math.floor(bytes.length / 2);
  const end = Math.min(start + 9_999, bytes.length - 1);
  const part = await owner.get(submission.videoUrl, { range: `bytes=${start}-${end}` });
  expectAnswer(part, 206);
  const wanted = `bytes ${start}-${end}/${bytes.length}`;
  checkEqual('the content-range of a part', part.headers.get('content-range'), wanted);
  check('a part to be the bytes of the whole', part.bytes.equals(bytes.subarray(start, end + 1)), 'other bytes');
}

async function checkThumbnails(
  owner: Owner,
  { name, landed, submission }: Settled,
  { dir, video }: { dir: string; video: string },
  note: Note,
): Promise<void> {
  const urls = {
    start: submission.thumbnailStartUrl,
    middle: submission.thumbnailMiddleUrl,
    end: submission.thumbnailEndUrl,
  };
  const pictures: Buffer[] = [];
  for (const [moment, url] of Object.entries(urls)) {
    const path = join(dir, `thumbnail-${moment}.jpg`);
    await fetchFile(owner, url, 'image/jpeg', path);
    const { codecs, width } = await probe(path);
    const isThumbnail = codecs[0] === 'mjpeg' && width !== undefined && width <= 640;
    check(`a JPEG of at most 640 pixels as ${name}'s thumbnail`, isThumbnail, { codecs, width });
    pictures.push(...(await greyFrames(path)));
  }
  const [start, middle, end] = pictures as [Buffer, Buffer, Buffer];
  for (const [a, b] of [
    [start, middle],
    [middle, end],
    [start, end],
  ] as const) {
    const apart = difference(a, b);
    check(`${name}'s thumbnails to differ by more than ${MIN_DIFFERENCE} of 255`, apart > MIN_DIFFERENCE, apart);
  }
  // Finds each thumbnail among the frames of the video. The position of the frame is the time of the thumbnail.
  const frames = await greyFrames(video, FRAMES_PER_SECOND);
  const times = pictures.map(picture => nearest(frames, picture) / FRAMES_PER_SECOND);
  const wanted = [0, landed.clip.durationSec / 2, landed.clip.durationSec];
  const isThere = times.every((time, at) => Math.abs(time - wanted[at]!) <= KEY_FRAME_SEC + 1 / FRAMES_PER_SECOND);
  check(`${name}'s thumbnails of the moments ${wanted.map(seconds)}`, isThere, times.map(seconds).join(', '));
  note(`thumbnails of ${times.map(seconds).join(', ')}`);
}

const seconds = (time: number) => `${time.toFixed(1)} s`;

function nearest(frames: Buffer[], picture: Buffer): number {
  const apart = frames.map(frame => difference(frame, picture));
  return apart.indexOf(Math.min(...apart));
}

async function checkAudio(owner: Owner, { name, landed, submission }: Settled, dir: string, note: Note): Promise<void> {
  const path = join(dir, 'audio.m4a');
  await fetchFile(owner, submission.audioUrl, 'application/octet-stream', path);
  const { durationSec = -1, container, codecs } = await probe(path);
  check(`${name}'s audio to be AAC in MP4`, container.includes('m4a') && codecs.join() === 'aac', {
    container,
    codecs,
  });
  const isClose = Math.abs(durationSec - landed.clip.durationSec) <= DURATION_TOLERANCE_SEC;
  check(`${name}'s audio to be ${landed.clip.durationSec} s`, isClose, durationSec);
  note(`m4a ${durationSec.toFixed(2)} s`);
}
