// Loaded into the process of every test file. The runner limits the time of each test, but not of the file. A handle that a
// test left open, such as a child that never ended, would keep the process, and so the whole run, alive forever.
const FILE_MS = Number(process.env.TEST_FILE_MS ?? 20 * 60_000);

// The timer itself keeps no process alive.
setTimeout(() => {
  const open = process.getActiveResourcesInfo().join(', ');
  console.error(`The test file has not ended after ${FILE_MS / 1000} s. Open handles: ${open}.`);
  process.exit(1);
}, FILE_MS).unref();
