/**
 * Tests pages and devices in one file, because starting the services and a browser takes longer than running a suite.
 */
import './suites/pages.ts';
import './suites/chunks.ts';
import './suites/new-project.ts';
// This suite is last, because it searches the logs of all suites for tokens.
import './suites/devices.ts';
