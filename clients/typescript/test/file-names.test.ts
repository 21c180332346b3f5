/** Tests that the name of a response is safe as the name of a file. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecordingRequest } from '@recording-request/client';
import { type Handler, scriptedServer } from './scripted-server.ts';

const plain = (name: string) => `attachment; filename="${name}"`;
const encoded = (name: string) => `attachment; filename*=UTF-8''${name}`;
const NAMES: [disposition: string, name: string | undefined][] = [
  ['attachment', undefined],
  [plain('clip.webm'), 'clip.webm'],
  [encoded('a%20%C3%BC.webm'), 'a ü.webm'],
  [plain('..'), undefined],
  [plain('.'), undefined],
  [plain('   '), undefined],
  [encoded('%2e%2e'), undefined],
  [encoded('..%20.'), undefined],
  [encoded('%E0%A4%A'), undefined],
  [`${plain('clip.webm')}; filename*=UTF-8''%E0%A4%A`, 'clip.webm'],
  [plain('../../x'), '.._.._x'],
  [encoded('..%5C..%5Cx'), '.._.._x'],
  [plain('C:evil.mp4'), 'C_evil.mp4'],
  [plain('a\\"b'), 'a__b'],
  [encoded('a%1b[31mred%0a%00.mp4'), 'a[31mred.mp4'],
  [encoded('a%C2%9B%E2%80%AEgpj.exe'), 'agpj.exe'],
  [plain('clip.webm. .'), 'clip.webm'],
  [plain('CON'), '_CON'],
  [plain('nul.txt'), '_nul.txt'],
  [plain('aux .txt'), '_aux .txt'],
  [encoded('COM%C2%B9.mp4'), '_COM¹.mp4'],
  [plain('CONIN$'), '_CONIN$'],
  [plain('console.mp4'), 'console.mp4'],
  [plain(`${'a'.repeat(5000)}.webm`), `${'a'.repeat(120)}.webm`],
  [encoded(`x${'%C3%BC'.repeat(300)}.webm`), `x${'ü'.repeat(59)}.webm`],
];

test('the name in Content-Disposition leads to no other folder, device or terminal sequence', async () => {
  const handlers = NAMES.map(
    ([disposition]): Handler =>
      (_, response) =>
        void response.writeHead(200, { 'content-disposition': disposition }).end(),
  );
  await using server = await scriptedServer(...handlers);
  const client = new RecordingRequest({ baseUrl: server.url, token: 'api_x' });
  for (const [disposition, name] of NAMES)
    assert.equal((await client.submissions.video('p', 's').info()).fileName, name, disposition.slice(0, 60));
});
