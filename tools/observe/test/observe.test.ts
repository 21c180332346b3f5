/**
 * Tests the six services and all observability servers in one file, because starting them takes longer than running a
 * suite.
 */
import { startObservedSystem } from './observed-system.ts';
import { page } from './suites/page.ts';
import { queries } from './suites/queries.ts';

const observed = await startObservedSystem();
page(observed);
queries(observed);
