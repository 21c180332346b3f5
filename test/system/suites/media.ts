import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { refused } from '@recording-request/harness/http-client';
import type { SeedData } from '../harness/seed.ts';

const OCTETS = 'application/octet-stream';

/** Tests the bytes of a landed clip: ranges, validators, HEAD, names, and the headers that stop a browser from running them. */
export function media({ ada, clip, full, ask }: SeedData): void {
  const FILES: [url: string, type: string, name: RegExp][] = [
    [clip.videoUrl, OCTETS, /filename="Everything - \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d - video\.webm"$/],
    [clip.audioUrl!, OCTETS, /\.m4a"?/],
    [clip.thumbnailStartUrl!, 'image/jpeg', /\.jpe?g"?/],
    [clip.thumbnailMiddleUrl!, 'image/jpeg', /\.jpe?g"?/],
    [clip.thumbnailEndUrl!, 'image/jpeg', /\.jpe?g"?/],
  ];
  describe('media', () => {
    for (const [url, type, name] of FILES) {
      test(new URL(url).pathname.split('/').at(-1)!, async () => {
        const whole = await ada.ask(url);
        assert.equal(whole.status, 200);
        assert.equal(whole.type, type);
        const { headers, bytes } = whole;
        assert.equal(headers.get('content-length'), String(bytes.length));
        assert.equal(headers.get('accept-ranges'), 'bytes');
        assert.equal(headers.get('x-content-type-options'), 'nosniff');
        assert.match(headers.get('content-security-policy') ?? '', /^sandbox/);
        assert.match(headers.get('content-disposition') ?? '', /^attachment; filename=/);
        assert.match(headers.get('content-disposition') ?? '', name);
        const etag = headers.get('etag') ?? '';
        assert.match(etag, /^"[^"]+"$/);

        const head = await ada.ask(url, { method: 'HEAD' });
        assert.equal(head.status, 200);
        assert.equal(head.bytes.length, 0);
        for (const each of ['content-length', 'content-type', 'etag', 'accept-ranges', 'content-disposition']) {
          assert.equal(head.headers.get(each), headers.get(each), each);
        }

        const size = bytes.length;
        const last = size - 1;
        const before = '"another"';
        const PARTS: [headers: Record<string, string>, status: number, from?: number, to?: number][] = [
          [{ range: 'bytes=0-0' }, 206, 0, 0],
          [{ range: 'bytes=10-99' }, 206, 10, 99],
          [{ range: 'bytes=100-' }, 206, 100, last],
          [{ range: 'bytes=-7' }, 206, size - 7, last],
          [{ range: `bytes=-${size + 5}` }, 206, 0, last],
          [{ range: `bytes=5-${size + 99}` }, 206, 5, last],
          [{ range: `bytes=${last}-` }, 206, last, last],
          [{ range: `bytes=${size}-` }, 416],
          [{ range: 'bytes=-0' }, 416],
          [{ range: 'bytes=9-3' }, 200],
          [{ range: 'pages=1-2' }, 200],
          [{ range: 'bytes=10-99', 'if-range': etag }, 206, 10, 99],
          [{ range: 'bytes=10-99', 'if-range': before }, 200],
          [{ range: 'bytes=10-99', 'if-range': `W/${etag}` }, 200],
          [{ 'if-none-match': etag }, 304],
          [{ 'if-none-match': `${before}, ${etag}` }, 304],
          [{ 'if-none-match': '*' }, 304],
          [{ 'if-none-match': before }, 200],
        ];
        for (const [sent, status, from = 0, to = last] of PARTS) {
          const part = await ada.ask(url, { headers: sent });
          const what = JSON.stringify(sent);
          if (status === 416) {
            refused(part, 416);
            assert.equal(part.headers.get('content-range'), `bytes */${size}`, what);
            continue;
          }
          assert.equal(part.status, status, what);
          if (status === 304) {
            assert.equal(part.bytes.length, 0, what);
            continue;
          }
          assert.ok(part.bytes.equals(bytes.subarray(from, to + 1)), what);
          const expected = status === 206 ? `bytes ${from}-${to}/${size}` : null;
          assert.equal(part.headers.get('content-range'), expected, what);
        }
      });
    }

    test('the video has the size that the submission reports, and begins as a WebM', async () => {
      const { bytes } = await ada.ask(clip.videoUrl);
      assert.equal(bytes.length, clip.fileSize);
      assert.equal(bytes.readUInt32BE(0), 0x1a45dfa3);
    });

    const TRANSCRIPTS: [url: string, type: string, begins: RegExp][] = [
      [clip.transcriptTextUrl, 'text/plain', /^please open/],
      [clip.transcriptVttUrl, 'text/vtt', /^WEBVTT\n\n/],
    ];
    for (const [url, type, begins] of TRANSCRIPTS) {
      test(`the transcript as ${type}`, async () => {
        const answer = await ada.ask(url);
        assert.equal(answer.status, 200);
        assert.equal(answer.headers.get('content-type'), `${type}; charset=utf-8`);
        assert.match(answer.text(), begins);
      });
    }

    test('the owner and the dashboard get the same QR code as PNG', async () => {
      const mine = await ada.ask(full.sharedLink!.qrCodePngUrl);
      const theirs = await ask(`/project/${full.projectToken}/shared-link/qr.png`);
      for (const each of [mine, theirs]) {
        assert.equal(each.status, 200);
        assert.equal(each.type, 'image/png');
        assert.equal(each.bytes.subarray(1, 4).toString(), 'PNG');
      }
      assert.ok(mine.bytes.equals(theirs.bytes));
    });
  });
}
