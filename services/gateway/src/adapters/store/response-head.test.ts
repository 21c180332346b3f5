import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseResponseHead, type ResponseHead } from './response-head.ts';

const CASES: [why: string, lines: string[], expected: ResponseHead | undefined][] = [
  [
    'names have no case, values no blanks around them',
    ['HTTP/1.1 206 Partial Content', 'CONTENT-length:  12 ', 'Content-Range: bytes 0-11/20'],
    { status: 206, contentLength: 12, keepsAlive: true },
  ],
  ['no reason phrase', ['HTTP/1.1 200', 'Content-Length: 0'], { status: 200, contentLength: 0, keepsAlive: true }],
  [
    'the store ends the connection',
    ['HTTP/1.1 200 OK', 'Content-Length: 1', 'Connection: Foo, Close'],
    { status: 200, contentLength: 1, keepsAlive: false },
  ],
  [
    'HTTP/1.0 ends it unless it says otherwise',
    ['HTTP/1.0 200 OK', 'Content-Length: 1'],
    { status: 200, contentLength: 1, keepsAlive: false },
  ],
  [
    'chunks have no length, whatever else is said',
    ['HTTP/1.1 200 OK', 'Content-Length: 5', 'Transfer-Encoding: chunked'],
    { status: 200, contentLength: undefined, keepsAlive: false },
  ],
  ['no length', ['HTTP/1.1 404 Not Found'], { status: 404, contentLength: undefined, keepsAlive: true }],
  ['two lengths that differ', ['HTTP/1.1 200 OK', 'Content-Length: 5', 'Content-Length: 6'], undefined],
  ['a length that is none', ['HTTP/1.1 200 OK', 'Content-Length: -1'], undefined],
  ['a line that is no header', ['HTTP/1.1 200 OK', 'nonsense'], undefined],
  ['another protocol', ['SSH-2.0-OpenSSH_9.2'], undefined],
];
for (const [why, lines, expected] of CASES) {
  test(`the head of a response: ${why}`, () => assert.deepEqual(parseResponseHead(lines.join('\r\n')), expected));
}
