import { detectSandbox, type Limits } from '@recording-request/kit-ffmpeg/sandbox';

/** The limits that the service uses by default. */
export const LIMITS: Limits<'ffmpeg'> = {
  memoryBytes: { ffmpeg: 128 * 1024 ** 2 },
  cpuSeconds: { ffmpeg: 120 },
  fileBytes: 0,
  openFiles: 64,
  processes: 8_192,
};

/** The sandbox that the service detects at its start, for tests that do not start the service. */
export const sandbox = await detectSandbox(LIMITS);
