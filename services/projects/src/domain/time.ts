export const inSeconds = (from: Date, seconds: number): Date => new Date(from.getTime() + seconds * 1000);
