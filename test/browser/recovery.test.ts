/** Tests recovery in one file, because the services and a browser take longer to start than a suite takes to run. */
import './suites/network-cuts.ts';
// This suite is last, because it kills and halts the services.
import './suites/recovery.ts';
