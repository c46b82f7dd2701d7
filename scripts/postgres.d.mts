/** A process that keeps PostgreSQL servers for tests; see `postgres.mjs`. */
export interface Keeper {
  /** Where the server is, as its owner; `undefined`: it could not be started. */
  url: string | undefined;
  /** Why it could not be started. */
  unavailable: string | undefined;
  tell(command: { op: 'start' | 'stop' | 'standby'; server?: string; how?: string }): Promise<{ url?: string }>;
  end(): Promise<void>;
}

export function startPostgres(options?: { sync?: boolean }): Promise<Keeper>;
