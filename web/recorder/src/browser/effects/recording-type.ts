const WEBM = ['video/webm;codecs=vp8,opus', 'video/webm'];
const MP4 = ['video/mp4;codecs=avc1.42E01E,mp4a.40.2', 'video/mp4'];

type Browser = Pick<Navigator, 'vendor' | 'userAgent'>;

/**
 * Returns whether the engine is WebKit, as in Safari and every browser on iOS. The HTML Standard fixes `vendor` for each
 * engine. An in-app browser may change one of the two values, so a user agent like Safari's without Chromium's "Chrome" also
 * counts.
 */
export const isWebKit = ({ vendor, userAgent }: Browser): boolean =>
  vendor.startsWith('Apple') || (/AppleWebKit\//.test(userAgent) && !/Chrom(?:e|ium)\/|Android/.test(userAgent));

/**
 * Returns the recording type, or undefined when the browser supports none of our types and uses its own. WebM comes
 * first: its bytes arrive every second, so a crash loses least. In WebKit, MP4 comes first, because its WebM (since
 * Safari 18.4) can be rotated by 90°.
 */
export function recordingTypeOf(browser: Browser, isSupported: (type: string) => boolean): string | undefined {
  const types = isWebKit(browser) ? [...MP4, ...WEBM] : [...WEBM, ...MP4];
  return types.find(isSupported);
}
