/**
 * Tests the whole dashboard in one file, because starting the services and a browser takes longer than running a suite.
 */
import './suites/dashboard-page.ts';
import './suites/dashboard.ts';
import './suites/dashboard-people.ts';
// This suite is last, because it selects clips and changes their notes.
import './suites/dashboard-review.ts';
