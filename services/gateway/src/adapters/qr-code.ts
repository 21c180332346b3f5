import { createHash } from 'node:crypto';
import { FlightCache } from '@recording-request/kit/flight-cache';
import QRCode from 'qrcode';

export interface QrCode {
  png: Buffer;
  /** Quoted. */
  etag: string;
}

// Whole pixels a module keep the edges sharp; four modules of quiet zone are the standard's.
const PIXELS_PER_MODULE = 10;
const QUIET_ZONE = 4;
const cache = new FlightCache<QrCode>({ ttlMs: Number.POSITIVE_INFINITY, maxEntries: 500 });

/** The QR code of an address as a PNG. The same address gives the same bytes. */
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
