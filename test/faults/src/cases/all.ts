import type { FaultCase } from '../fault-case.ts';
import { killEachService } from './kill-each-service.ts';

/** Every case, in the order in which they run. */
export const CASES: FaultCase[] = [killEachService];
