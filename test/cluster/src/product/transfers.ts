import type { SubmissionJson } from '@recording-request/contract/resources/submission';
import { contribute } from '@recording-request/fault-test/contributors/contributor';
import { openFilm, type Take } from '@recording-request/fault-test/contributors/takes';
import type { Random } from '@recording-request/stack/random';
import { until } from '@recording-request/testing/wait';
import type { ClusterHarness } from '../harness.ts';

/** About 14 MB. The buffers of connections hold less, so a pod always stops in the middle of a transfer. */
const FILM = { seconds: 7, width: 1920, height: 1080, frameRate: 25, keyFrameSec: 1 / 25 } as const;
/**
 * On an idle node, each transfer takes seven seconds. A stopping pod has more time for its requests
 * (STOP_GRACE_SECONDS).
 */
const BYTES_PER_SECOND = 2e6;
const READY = { limitMs: 120_000, everyMs: 500 };

/**
 * Uploads a large take in one slow request and downloads a video slowly, repeatedly until `work` ends. The gateway
 * client records an interrupted request as an incident. This function reports an upload without an acknowledgement and
 * a download of the wrong length.
 */
export async function whileTransferring(
  harness: ClusterHarness,
  random: Random,
  work: () => Promise<unknown>,
): Promise<void> {
  const takes = await largeTakes();
  const video = await readyVideo(harness, await handIn(harness, random, takes(random)));
  let isOver = false;
  const repeat = async (once: () => Promise<unknown>) => {
    const seconds: number[] = [];
    while (seconds.length === 0 || !isOver) {
      const began = performance.now();
      await once();
      seconds.push(Math.round((performance.now() - began) / 1_000));
    }
    return `${seconds.length} (${Math.min(...seconds)} to ${Math.max(...seconds)} s each)`;
  };
  const uploading = repeat(() => handIn(harness, random, takes(random), BYTES_PER_SECOND));
  const downloading = repeat(() => download(harness, video));
  try {
    await work();
  } finally {
    isOver = true;
  }
  const [up, down] = await Promise.all([uploading, downloading]);
  harness.noted(`of ${Math.round((video.fileSize ?? 0) / 1e6)} MB: uploads ${up}, downloads ${down}`);
}

export const largeTakes = () => openFilm({ container: 'mp4', audio: 'none', ...FILM });

/** Uploads a take with one PATCH. Resolves to its submission. */
export async function handIn(
  { gateway, ledger, projects, signal, violated }: ClusterHarness,
  random: Random,
  take: Take,
  bytesPerSecond?: number,
): Promise<string> {
  const { plain } = await projects();
  const { outcome, why, submissionId } = await contribute(
    { gateway, ledger, random, signal },
    { projectId: plain.projectId, link: plain.sharedUrl },
    take,
    { chunkBytes: take.bytes.length, deferLength: false, ...(bytesPerSecond && { bytesPerSecond }) },
  );
  if (outcome !== 'ok') violated(`an upload of ${take.bytes.length} bytes failed: ${why}`);
  return submissionId ?? '';
}

/** Waits until the media are made, because media replaces the uploaded video file. */
export async function readyVideo({ owner, projects }: ClusterHarness, submissionId: string): Promise<SubmissionJson> {
  const { plain } = await projects();
  const find = async () =>
    (await owner.submissions(plain.projectId)).find(
      each => each.submissionId === submissionId && each.mediaStatus === 'ready',
    );
  return await until('the media of the large video is ready', find, READY);
}

async function download({ owner, violated }: ClusterHarness, { videoUrl, fileSize }: SubmissionJson): Promise<void> {
  // The gateway client records an interrupted download as an incident.
  const answer = await owner
    .ask(new URL(videoUrl).pathname, { bytesPerSecond: BYTES_PER_SECOND, wanted: 200 })
    .catch(() => undefined);
  if (answer && answer.bytes.length !== fileSize)
    violated(`a download returned ${answer.bytes.length} bytes of ${fileSize}: ${answer.what}`);
}
