import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request of the browser, before its body is passed on. */
export interface Passing {
  method: string;
  path: string;
  /** Bytes of the body, 0 where it has none. */
  length: number;
  /** The upload's offset that the request begins at. */
  offset: number;
}

/** Where the connection is cut: after so many bytes of the body, or once the server has answered, unheard. */
export type Cut = number | 'answer';

export interface CuttingProxy extends AsyncDisposable {
  origin: string;
  /** Decides about each request; undefined passes it on whole. */
  decide: (passing: Passing) => Cut | undefined;
  cuts: number;
}

/** A network between the browser and the server whose connections break where a test says, to the byte. */
export async function startCuttingProxy(target: string): Promise<CuttingProxy> {
  const server = createServer((incoming, outgoing) => {
    const passing: Passing = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      length: Number(incoming.headers['content-length'] ?? 0),
      offset: Number(incoming.headers['upload-offset'] ?? 0),
    };
    const cut = proxy.decide(passing);
    if (cut !== undefined) proxy.cuts += 1;
    pass(target, incoming, outgoing, cut);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: CuttingProxy = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    decide: () => undefined,
    cuts: 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
  return proxy;
}

function pass(target: string, incoming: IncomingMessage, outgoing: ServerResponse, cut: Cut | undefined): void {
  const url = new URL(incoming.url ?? '', target);
  const onward = request(url, {
    method: incoming.method,
    headers: { ...incoming.headers, host: url.host },
    agent: false,
  });
  const end = () => {
    onward.destroy();
    incoming.socket.destroy();
  };
  onward.on('error', end);
  outgoing.on('close', () => onward.destroy());
  onward.on('response', answer => {
    if (cut === 'answer') {
      answer.resume().on('end', end);
      return;
    }
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  if (typeof cut !== 'number') {
    incoming.pipe(onward);
    return;
  }
  let left = cut;
  const send = (chunk: Buffer) => {
    const bytes = chunk.subarray(0, left);
    left -= bytes.length;
    // What was passed on gets there before the connection goes.
    onward.write(bytes, () => left === 0 && end());
  };
  if (cut === 0) end();
  else incoming.on('data', send);
}
