/** Runs `work` while holding the lock; the file is the lock. */
export declare function withLock<T>(file: string, work: () => Promise<T>, say: (message: string) => void): Promise<T>;
