const WEBM = ['video/webm;codecs=vp8,opus', 'video/webm'];
const MP4 = ['video/mp4;codecs=avc1.42E01E,mp4a.40.2', 'video/mp4'];

type Browser = Pick<Navigator, 'vendor' | 'userAgent'>;

/**
 * Whether the engine is WebKit, as in Safari and in every browser of iOS. The HTML Standard fixes `vendor` for each engine. A view
 * inside an app may change one of the two: then what Safari's user agent has and Chromium's does not (no "Chrome") counts as well.
 */
export const isWebKit = ({ vendor, userAgent }: Browser): boolean =>
  vendor.startsWith('Apple') || (/AppleWebKit\//.test(userAgent) && !/Chrom(?:e|ium)\/|Android/.test(userAgent));

/**
 * Returns the type to record in, or undefined where the browser supports none of ours: then it takes its own. WebM comes first, as it
 * comes out every second, so that a crash loses least. WebKit's WebM, since Safari 18.4, can be turned by 90°: there MP4 comes first.
 */
export function recordingTypeOf(browser: Browser, isSupported: (type: string) => boolean): string | undefined {
  const types = isWebKit(browser) ? [...MP4, ...WEBM] : [...WEBM, ...MP4];
  return types.find(isSupported);
}
