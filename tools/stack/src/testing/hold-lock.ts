// cache.test.ts runs this file as a process. The process holds a lock until its input ends, and prints a line when it
// receives an interrupt.
import { once } from 'node:events';
import { holdLock } from '../install/lock.ts';

process.on('SIGINT', () => console.log('interrupted'));
const lock = await holdLock(process.argv[2]!, { waitMs: 0 });
await once(process.stdin.resume(), 'end');
await lock.release();
