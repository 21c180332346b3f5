import { detectSandbox, type Limits } from '@recording-request/kit-ffmpeg/sandbox';

/** The limits that the service uses by default. */
export const LIMITS: Limits = {
  memoryBytes: { ffmpeg: 896 * 1024 ** 2, ffprobe: 224 * 1024 ** 2 },
  cpuSeconds: { ffmpeg: 600, ffprobe: 15 },
  fileBytes: 5 * 1024 ** 3,
  openFiles: 64,
  processes: 8_192,
};

/** The sandbox that the service detects at its start, for tests that do not start the service. */
export const sandbox = await detectSandbox(LIMITS);

/** Returns the options of a run with a time limit of `ms`. */
export const runOptions = (ms = 60_000) => ({ signal: AbortSignal.timeout(ms), sandbox });
