/** A process and all that it started, as far as that did not leave its group. */
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long those have that were asked to end, in ms. */
const GRACE = 2_000;

/** How often it is looked whether they did, in ms. */
const LOOK = 20;

/** The groups that run, so that none outlives us. */
const running = new Set<ProcessGroup>();

function killAll(): void {
  for (const group of running) group.kill();
}

export class ProcessGroup {
  readonly #leader: number;
  #deadline: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** The leader was started with `detached`: its id is that of the group. */
  constructor(leader: number) {
    this.#leader = leader;
    if (running.size === 0) process.on('exit', killAll);
    running.add(this);
  }

  /** Asks all of them to end, and kills those that do not. */
  end(): void {
    if (this.#deadline !== undefined) return;
    this.#deadline = performance.now() + GRACE;
    this.#signal('SIGTERM');
    this.#timer = setTimeout(() => this.kill(), GRACE);
  }

  kill(): void {
    this.#signal('SIGKILL');
  }

  /** Once the leader is gone: kills the others, those that were asked to end after a moment. */
  async clear(): Promise<void> {
    while (this.#deadline !== undefined && performance.now() < this.#deadline && this.#signal(0)) await sleep(LOOK);
    this.kill();
    clearTimeout(this.#timer);
    this.forget();
  }

  /** The id may soon be another's. */
  forget(): void {
    running.delete(this);
    if (running.size === 0) process.off('exit', killAll);
  }

  /** `false`: no process is left. */
  #signal(signal: NodeJS.Signals | 0): boolean {
    if (process.platform === 'win32') return this.#signalTree(signal);
    try {
      return process.kill(-this.#leader, signal);
    } catch {
      return false;
    }
  }

  /** There are no groups on Windows; a tree of processes has no gentle end there. */
  #signalTree(signal: NodeJS.Signals | 0): boolean {
    if (signal !== 0)
      spawn('taskkill', ['/pid', String(this.#leader), '/t', '/f'], { stdio: 'ignore', windowsHide: true }).on(
        'error',
        () => {},
      );
    return false;
  }
}
