/** Tests the six services and all observability servers in one file, because they take longer to start than a suite takes to run. */
import { startObservedSystem } from './observed-system.ts';
import { page } from './suites/page.ts';
import { queries } from './suites/queries.ts';

const observed = await startObservedSystem();
page(observed);
queries(observed);
