import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy that hands out the bodies of answers in small pieces, so that a test can act in the middle of one. */
export interface KillingProxy extends AsyncDisposable {
  /** The URL, without a trailing slash. */
  url: string;
  /** Calls `act` once, when so many further bytes of answers with this path were sent. */
  after(bytes: number, path: RegExp, act: () => void): void;
  /** The most bytes of one answer that may be sent before a pause. */
  pieceBytes: number;
}

export async function startKillingProxy(target: string): Promise<KillingProxy> {
  let trap: { left: number; path: RegExp; act: () => void } | undefined;
  const server = createServer((request, response) => {
    const { method, url, headers } = request;
    const forwarded = send(new URL(url!, target), { method, headers }, async answer => {
      response.writeHead(answer.statusCode!, answer.headers);
      for await (const chunk of answer as AsyncIterable<Buffer>)
        for (let at = 0; at < chunk.length; at += proxy.pieceBytes) {
          const piece = chunk.subarray(at, at + proxy.pieceBytes);
          if (response.destroyed) return;
          // The piece must reach the client before the test acts.
          await new Promise<void>(resolve => response.write(piece, () => resolve()));
          if (!trap?.path.test(url!)) continue;
          trap.left -= piece.length;
          if (trap.left > 0) continue;
          const { act } = trap;
          trap = undefined;
          act();
        }
      response.end();
    });
    forwarded.on('error', () => response.destroy());
    response.on('close', () => forwarded.destroy());
    request.pipe(forwarded);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const proxy: KillingProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pieceBytes: 8_192,
    after(left, path, act) {
      trap = { left, path, act };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
  return proxy;
}
