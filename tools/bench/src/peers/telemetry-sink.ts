// Replaces a collector: accepts OTLP over HTTP, stores nothing, and uses almost no CPU, so that only the senders' cost of telemetry
// is measured. GET /counts returns the number of received bytes by signal.
import { createServer } from 'node:http';

const SIGNAL = /^\/v1\/(traces|metrics)$/;
const counts: Record<string, number> = { traces: 0, metrics: 0 };

const server = createServer((request, response) => {
  if (request.method === 'GET') return void response.end(JSON.stringify(counts));
  const signal = SIGNAL.exec(request.url ?? '')?.[1];
  if (!signal) return void response.writeHead(404).end();
  request.on('data', (chunk: Buffer) => {
    counts[signal]! += chunk.length;
  });
  // An empty response means that the collector accepted everything.
  request.once('end', () => response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end());
});
server.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
