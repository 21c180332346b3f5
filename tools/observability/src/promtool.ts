export const promtoolPath = async () => process.env.PROMTOOL_BIN!;
