// The process of every test file loads this file. The runner limits the time of each test, but not of a test file. If a
// test leaves a handle open, such as a child that never ends, the process and the whole run would never end.
const FILE_MS = Number(process.env.TEST_FILE_MS ?? 20 * 60_000);

// The timer does not keep the process alive.
setTimeout(() => {
  const open = process.getActiveResourcesInfo().join(', ');
  console.error(`The test file has not ended after ${FILE_MS / 1000} s. Open handles: ${open}.`);
  process.exit(1);
}, FILE_MS).unref();
