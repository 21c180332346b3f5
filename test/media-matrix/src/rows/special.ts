import type { ClipSpec } from '../clip/spec.ts';

/** The properties that differ from the plain clip. `npm test` also runs the rows with `isBounded`. */
export type Special = Partial<ClipSpec> & { isBounded?: boolean };

const CHROME = { container: 'webm', video: 'vp8', audio: 'opus' } as const;
const IPHONE = { container: 'mov', video: 'hevc', audio: 'aac', colour: 'hlg', turn: 90, tracks: 'data' } as const;
const NO_SOUND = { audio: 'none', sound: 'none' } as const;
const FEW = { frames: 8, keyEvery: 4, ...NO_SOUND } as const;

const CUT: Special[] = (
  [
    CHROME,
    { container: 'webm file', video: 'vp9', audio: 'opus' },
    { container: 'mkv', audio: 'aac' },
    { container: 'fmp4' },
    { container: 'mp4' },
    { container: 'mp4', index: 'back' },
    { container: 'mov', audio: 'pcm' },
    { container: '3gp', audio: 'amr' },
  ] satisfies Special[]
).flatMap(of =>
  [50, 90, 99].map(cut => ({ ...of, cut: cut as 50 | 90 | 99, isBounded: of.container === 'fmp4' && cut === 50 })),
);

const SIZES: Special[] = [
  { size: '2160x3840', ...FEW },
  { size: '4096x2160', ...FEW },
  { size: '5312x2988', ...FEW },
  { size: '3840x2160', turn: 90, ...FEW },
  { size: '7680x4320', video: 'hevc', ...FEW, frames: 4 },
  { size: '4320x7680', ...FEW, frames: 4 },
  { size: '7680x4320', container: 'webm', video: 'vp9', ...FEW, frames: 4 },
  { size: '8704x1024', ...FEW },
  { size: '8192x4608', ...FEW, frames: 4 },
  { size: '321x181', container: 'webm', video: 'vp9', audio: 'opus' },
  { size: '321x181', container: 'webm', video: 'vp8', audio: 'opus' },
  { size: '334x186', container: 'mp4', video: 'av1' },
  { size: '322x182', turn: 270 },
  { size: '64x36' },
  { size: '1280x720', colour: 'untagged' },
  { size: '1280x720', colour: 'bt709', isBounded: true },
  { size: '720x576', pixels: '4:3', colour: 'bt601' },
  { size: '1440x1080', pixels: '4:3', colour: 'bt709', frames: 50 },
  { size: '640x360', video: 'hevc', colour: 'hlg' },
  { size: '640x360', video: 'hevc', colour: 'pq', isBounded: true },
  { size: '640x360', container: 'webm', video: 'vp9', audio: 'opus', colour: 'hlg' },
  { size: '1280x720', container: 'webm', video: 'vp9', audio: 'opus', colour: 'pq', frames: 50 },
];

const LENGTHS: Special[] = [
  { frames: 1, ...NO_SOUND },
  { frames: 1, ...NO_SOUND, container: 'webm', video: 'vp8', isBounded: true },
  { frames: 1, container: 'mov', audio: 'pcm' },
  { frames: 2, container: 'webm', video: 'vp9', audio: 'opus' },
  { frames: 220, keyEvery: 250 },
  { frames: 220, keyEvery: 250, ...CHROME },
  { frames: 220, keyEvery: 1 },
  { frames: 220, keyEvery: 120, container: 'fmp4' },
  { frames: 220, keyEvery: 250, ...CHROME, rate: 'variable' },
];

const SOUNDS: Special[] = [
  ...(['mp4', 'fmp4', 'mov', '3gp'] as const).map(
    container => ({ container, sound: 'late 6 s', frames: 220 }) as const,
  ),
  { ...CHROME, sound: 'late 6 s', frames: 220, isBounded: true },
  { container: 'webm file', video: 'vp9', audio: 'vorbis', sound: 'late 6 s', frames: 220 },
  { container: 'mkv', audio: 'opus', sound: 'late 6 s', frames: 220 },
  { container: 'mkv', audio: 'pcm', sound: 'late 6 s', frames: 220 },
  { container: 'mov', audio: 'pcm', sound: 'late 6 s', frames: 220 },
  { container: 'mov', audio: 'ima', sound: 'late 6 s', frames: 220 },
  { container: 'mov', audio: 'alac', sound: 'late 6 s', frames: 220 },
  { container: '3gp', audio: 'amr', sound: 'late 6 s', frames: 220 },
  { container: '3gp', video: 'h263', audio: 'amr', size: '352x288', sound: 'late 1 s' },
  { container: 'mov', audio: 'ima', sound: 'late 1 s', isBounded: true },
  ...(['mp4', 'fmp4', 'mov'] as const).map(container => ({ container, sound: 'gap 5 s', frames: 220 }) as const),
  { ...CHROME, sound: 'gap 5 s', frames: 220 },
  { container: 'mkv', audio: 'opus', sound: 'gap 5 s', frames: 220 },
  { container: 'mp4', sound: 'gap', isBounded: true },
  { container: 'mp4', sound: 'gap 80 ms' },
  { ...CHROME, sound: 'gap 80 ms' },
  { container: 'mov', audio: 'pcm', sound: 'out of phase', isBounded: true },
  { tracks: 'silent first', isBounded: true },
];

const PHONES: Special[] = [
  { ...IPHONE, isBounded: true },
  { ...IPHONE, size: '1920x1080', frames: 50 },
  { ...IPHONE, colour: 'bt709', tracks: 'unknown first', isBounded: true },
  { container: 'mov', turn: 90, audio: 'pcm', isBounded: true },
  { container: 'mov', edit: 'hidden start', audio: 'pcm' },
  { container: 'mov', tracks: 'two pictures' },
  { ...CHROME, colour: 'bt601', turn: 90, isBounded: true },
  { ...CHROME, colour: 'bt601', turn: 270 },
  { container: 'mp4', edit: 'hidden start', isBounded: true },
  { container: 'mp4', surgery: 'two descriptions', ...NO_SOUND },
  { container: 'mp4', surgery: 'two edits', index: 'back' },
  { container: 'mov', surgery: 'two edits', index: 'back', audio: 'pcm' },
  { container: 'mp4', surgery: 'two edits', index: 'back', ...NO_SOUND },
  { ...CHROME },
  { container: 'mkv', audio: 'opus' },
  { container: 'fmp4', audio: 'opus' },
];

const REFUSED: Special[] = [
  { container: 'avi', video: 'mpeg4', audio: 'mp3' },
  { container: 'avi', video: 'h264', audio: 'pcm', isBounded: true },
  { container: 'ts' },
];

/** The named clips, each of which tests a special case. */
export const SPECIAL: Special[] = [...PHONES, ...SOUNDS, ...SIZES, ...LENGTHS, ...CUT, ...REFUSED];
