import { createInterface } from 'node:readline/promises';
import { EXIT, Failure } from './failures.ts';

const LONGEST = 4_096;

/** Asks for a text on the terminal. */
export async function ask(question: string, signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // The raw terminal of readline takes Ctrl-C and Ctrl-D as letters.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const closed = new Promise<string>(resolve => lines.once('close', () => resolve('')));
  try {
    return (await Promise.race([lines.question(question, { signal }), closed])).trim();
  } finally {
    lines.close();
  }
}

/** Reads a secret: on a terminal without showing it, otherwise the first line of stdin. */
export function askSecret(question: string, signal: AbortSignal): Promise<string> {
  return process.stdin.isTTY ? typeSecret(question, signal) : firstLine(signal);
}

async function firstLine(signal: AbortSignal): Promise<string> {
  let text = '';
  process.stdin.setEncoding('utf8');
  const stop = () => process.stdin.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const part of process.stdin) {
      text += part;
      if (text.includes('\n') || text.length > LONGEST) break;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
  signal.throwIfAborted();
  return text.split('\n')[0]!.trim();
}

function typeSecret(question: string, signal: AbortSignal): Promise<string> {
  const { stdin, stderr } = process;
  return new Promise((resolve, reject) => {
    let text = '';
    const end = (settle: () => void) => {
      stdin.off('data', take);
      signal.removeEventListener('abort', abort);
      stdin.setRawMode(false);
      stdin.pause();
      stderr.write('\n');
      settle();
    };
    const abort = () => end(() => reject(signal.reason));
    const take = (part: string) => {
      for (const letter of part) {
        if (letter === '\r' || letter === '\n' || letter === '\x04') return end(() => resolve(text.trim()));
        // The raw terminal sends Ctrl-C as a letter.
        if (letter === '\x03') return void process.kill(process.pid, 'SIGINT');
        if (letter === '\x7f' || letter === '\b') text = text.slice(0, -1);
        else if (text.length >= LONGEST) return end(() => reject(new Failure(EXIT.usage, 'The text is too long.')));
        else text += letter;
      }
    };
    stderr.write(question);
    stdin.setRawMode(true);
    stdin.setEncoding('utf8');
    stdin.on('data', take);
    stdin.resume();
    signal.addEventListener('abort', abort, { once: true });
  });
}
