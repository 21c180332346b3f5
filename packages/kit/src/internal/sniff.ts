import type { Socket } from 'node:net';

const TLS_HANDSHAKE = 0x16;
const FIRST_BYTE_MS = 10_000;

/** Calls back once the first byte of a connection says whether it is TLS; the bytes are there to be read again. */
export function whenKnown(socket: Socket, then: (isTls: boolean) => void): void {
  const timer = setTimeout(() => socket.destroy(), FIRST_BYTE_MS);
  const ignore = () => {};
  socket.on('error', ignore);
  socket.once('close', () => clearTimeout(timer));
  socket.once('readable', () => {
    clearTimeout(timer);
    const bytes: Buffer | null = socket.read();
    if (bytes === null) return void socket.destroy();
    socket.unshift(bytes);
    then(bytes[0] === TLS_HANDSHAKE);
    socket.off('error', ignore);
  });
}
