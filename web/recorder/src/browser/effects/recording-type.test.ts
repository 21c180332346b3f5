import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isWebKit, recordingTypeOf } from './recording-type.ts';

const APPLE = 'Apple Computer, Inc.';
const GOOGLE = 'Google Inc.';
const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit';

const WEBKIT: Record<string, [vendor: string, userAgent: string]> = {
  'Safari on iOS': [APPLE, `${IPHONE} Version/18.5 Mobile/15E148 Safari/604.1`],
  'Safari on macOS': [APPLE, `${MAC}/605.1.15 (KHTML, like Gecko) Version/18.4 Safari/605.1.15`],
  'Chrome on iOS': [APPLE, `${IPHONE} CriOS/138.0.7204.53 Mobile/15E148 Safari/604.1`],
  'Chrome on an iPad, as on a computer': [
    APPLE,
    `${MAC}/605.1.15 (KHTML, like Gecko) CriOS/138 Version/11.1.1 Safari/605.1.15`,
  ],
  'Firefox on iOS': [APPLE, `${IPHONE} FxiOS/140.0 Mobile/15E148 Safari/605.1.15`],
  'Edge on iOS': [APPLE, `${IPHONE} Version/18.0 EdgiOS/138.0.3351.55 Mobile/15E148 Safari/604.1`],
  'a view inside an app on iOS': [
    APPLE,
    `${IPHONE} Mobile/15E148 Instagram 385.0.0.26.81 (iPhone14,5; iOS 18_5; en_US)`,
  ],
  'a view with its own user agent': [APPLE, 'Bakery/3.1'],
  WebKitGTK: [
    APPLE,
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.4 Safari/605.1.15',
  ],
  'a view that hides its vendor': ['', `${IPHONE} Version/18.5 Mobile/15E148 Safari/604.1`],
};
const OTHERS: Record<string, [vendor: string, userAgent: string]> = {
  'Chrome on macOS': [GOOGLE, `${MAC}/537.36 (KHTML, like Gecko) Chrome/146.0.0.0 Safari/537.36`],
  'Chrome on Android': [
    GOOGLE,
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/146.0.0.0 Mobile Safari/537.36',
  ],
  'Edge on Windows': [
    GOOGLE,
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36 Edg/138.0.0.0',
  ],
  'Samsung Internet': [
    GOOGLE,
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36',
  ],
  'headless Chromium': [
    GOOGLE,
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0.0.0 Safari/537.36',
  ],
  'Firefox on macOS': ['', 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0'],
  'Firefox on Android': ['', 'Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0'],
};
const browserOf = ([vendor, userAgent]: [string, string]) => ({ vendor, userAgent });
const all = () => true;

test('MP4 is the first choice only on WebKit, in any browser', () => {
  for (const [name, browser] of Object.entries(WEBKIT)) {
    assert.equal(isWebKit(browserOf(browser)), true, name);
    assert.match(recordingTypeOf(browserOf(browser), all)!, /^video\/mp4;codecs=avc1/, name);
  }
  for (const [name, browser] of Object.entries(OTHERS)) {
    assert.equal(isWebKit(browserOf(browser)), false, name);
    assert.match(recordingTypeOf(browserOf(browser), all)!, /^video\/webm;codecs=vp8/, name);
  }
});

test('the next type is used when the browser does not record the first', () => {
  const safari = browserOf(WEBKIT['Safari on macOS']!);
  const firefox = browserOf(OTHERS['Firefox on macOS']!);
  const only =
    (...types: string[]) =>
    (type: string) =>
      types.includes(type);
  assert.equal(recordingTypeOf(safari, only('video/mp4', 'video/webm')), 'video/mp4');
  assert.equal(recordingTypeOf(safari, only('video/webm;codecs=vp8,opus', 'video/webm')), 'video/webm;codecs=vp8,opus');
  assert.equal(recordingTypeOf(firefox, only('video/mp4', 'video/webm')), 'video/webm');
  assert.equal(recordingTypeOf(firefox, only('video/mp4')), 'video/mp4');
  assert.equal(recordingTypeOf(firefox, only()), undefined);
});
