/** Takes through everything that can break, in one file, as the services and a browser take longer to start than a suite to run. */
import './suites/network-cuts.ts';
// Last, as it kills and halts the services.
import './suites/recovery.ts';
