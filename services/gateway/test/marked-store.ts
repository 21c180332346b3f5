import type { RequestListener } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '@recording-request/stack/random';

const PIECE_BYTES = 5_000;

/**
 * Answers GETs of marked objects like a store in trouble. It sends heads with or without their bodies, and bodies in
 * pieces. It ends connections in the middle of a body or after its last byte.
 */
export function troubledStore(objects: Map<string, Buffer>, random: Random): RequestListener {
  return async (request, response) => {
    const content = objects.get(request.url!.split('?')[0]!);
    if (!content) return void response.writeHead(404).end();
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const body = first === undefined ? content : content.subarray(Number(first), Number(last) + 1);
    if (random.chance(0.1)) response.shouldKeepAlive = false;
    response.writeHead(first === undefined ? 200 : 206, { 'content-length': body.length, server: 'marked' });
    if (random.chance(0.05)) return void response.socket?.destroy();
    if (random.chance(0.5)) return void response.end(body);
    let rest = body;
    for (let pieces = random.integer(1, 4); pieces > 0; pieces--) {
      response.write(rest.subarray(0, PIECE_BYTES));
      rest = rest.subarray(PIECE_BYTES);
      await delay(random.integer(0, 20));
      if (random.chance(0.05)) return void response.socket?.destroy();
    }
    response.end(rest);
  };
}
