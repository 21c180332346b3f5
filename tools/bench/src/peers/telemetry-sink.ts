// Replaces a collector: accepts OTLP over HTTP, stores nothing, and uses almost no CPU, so that only the senders' cost of telemetry
// is measured. ANSWER_MS is the time before each answer. GET /counts returns the number of received bytes by signal.
import { createServer } from 'node:http';

const { PORT, ANSWER_MS = '0' } = process.env;
const SIGNAL = /^\/v1\/(traces|metrics|logs)$/;
const counts: Record<string, number> = { traces: 0, metrics: 0, logs: 0 };

const server = createServer((request, response) => {
  if (request.method === 'GET') return void response.end(JSON.stringify(counts));
  const signal = SIGNAL.exec(request.url ?? '')?.[1];
  if (!signal) return void response.writeHead(404).end();
  request.on('data', (chunk: Buffer) => {
    counts[signal]! += chunk.length;
  });
  // An empty message means that everything was accepted.
  const answer = () => response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  request.once('end', () => setTimeout(answer, Number(ANSWER_MS)));
});
server.listen(Number(PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
