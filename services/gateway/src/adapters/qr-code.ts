import { createHash } from 'node:crypto';
import { FlightCache } from '@recording-request/kit/flight-cache';
import QRCode from 'qrcode';

export interface QrCode {
  png: Buffer;
  /** In quotes. */
  etag: string;
}

// Whole pixels per module keep the edges sharp; the standard requires a quiet zone of four modules.
const PIXELS_PER_MODULE = 10;
const QUIET_ZONE = 4;
const cache = new FlightCache<QrCode>({ ttlMs: Number.POSITIVE_INFINITY, maxEntries: 500 });

/** Returns the QR code of an address as a PNG. The same address gives the same bytes. */
export function qrCode(address: string): Promise<QrCode> {
  return cache.get(address, async () => {
    const png = await QRCode.toBuffer(address, {
      type: 'png',
      scale: PIXELS_PER_MODULE,
      margin: QUIET_ZONE,
      errorCorrectionLevel: 'M',
    });
    return { png, etag: `"${createHash('sha256').update(png).digest('base64url').slice(0, 27)}"` };
  });
}
