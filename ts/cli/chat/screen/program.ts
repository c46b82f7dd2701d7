/** The chat on a terminal: keys in, screens out. */
import { messageOf } from '../../../errors/message-of.js';
import { PersonCall, type NotifyWay } from '../../../terminal/call-person.js';
import { inEditor, namedEditor } from '../../edit.js';
import { oneLine } from '../../style.js';
import type { Chat, TranscriptEntry } from '../view.js';
import { callsOf } from '../waiting-calls.js';
import type { PromptHistory } from '../prompt-history.js';
import { entryLines } from './entries.js';
import { frame, type ScreenFrame } from './frame.js';
import { KeyFlow, type KeyPress } from './keys.js';
import { screenIn, wrap, type ScreenKind, type ScreenSymbols } from './layout.js';
import { KeyboardInput, ScreenOutput, takeConsole } from './output.js';
import { ScreenPainter } from './painter.js';
import { press } from './press.js';
import type { PressContext } from './press-context.js';
import { heldNow, withEdited, withReconsidered } from './press-approval.js';
import {
  goTo,
  PANEL,
  readyAt,
  START,
  unseen,
  unsent,
  unwarned,
  warnedUntil,
  withStanding,
  withStood,
  withView,
  type CallAnswer,
  type KeyAction,
  type ScreenState,
} from './state.js';

/** The least time between two frames, in ms. */
const FRAME = 25;
/** How long a window must stay as it is until it is painted anew, in ms. */
const RESIZED = 60;

const idsOf = (answers: readonly CallAnswer[]): string[] => answers.map(({ approvalId }) => approvalId);

export class ScreenProgram {
  /** Resolves with the exit code when the human has left. */
  readonly over: Promise<number>;
  readonly #chat: Chat;
  readonly #symbols: ScreenSymbols;
  readonly #output = new ScreenOutput((isLate) => this.#onTaken(isLate));
  readonly #keys = new KeyFlow(
    (presses) => this.#take(presses),
    () => this.#takeBack(),
  );
  readonly #keyboard = new KeyboardInput((data) => this.#keys.feed(data), this.#output);
  readonly #end: (code: number) => void;
  readonly #person: PersonCall;
  /** What other sessions know of; `undefined` once it cannot be written. */
  #history: PromptHistory | undefined;
  #state: ScreenState = START;
  #painter: ScreenPainter;
  /** What goes on, below the scrollback. */
  #frame: ScreenFrame;
  /** Finished lines that are not drawn yet. */
  #finished: string[] = [];
  /** Lines that others printed, which are not drawn yet. */
  #printed: string[] = [];
  /** Entries that stand in the scrollback, or are about to. */
  #written: TranscriptEntry[] = [];
  /** Whether somebody else has the terminal. */
  #isAway = false;
  /** All is to be painted anew, as soon as the terminal takes something; whether it was cleared. */
  #unpainted: { isCleared: boolean } | undefined;
  /** Whether all is drawn as it is now. */
  #isDrawn = true;
  #timers: { [NAME in 'resize' | 'ready' | 'warned' | 'tick' | 'frame']?: NodeJS.Timeout } = {};
  /** All keys that were typed until then have been read, in ms of {@link performance.now}. */
  #heard = 0;
  #hearing: NodeJS.Immediate | undefined;

  constructor(chat: Chat, symbols: ScreenSymbols, notify: NotifyWay, history?: PromptHistory) {
    this.#chat = chat;
    this.#history = history;
    if (history !== undefined) this.#state = { ...START, history: { ...START.history, lines: history.lines } };
    this.#person = new PersonCall({ way: notify, write: (text) => process.stdout.write(text) });
    this.#symbols = symbols;
    let end: (code: number) => void = () => {};
    this.over = new Promise((resolve) => (end = resolve));
    this.#end = end;
    this.#painter = new ScreenPainter((text) => this.#output.write(text));
    this.#frame = this.#framed([]);
  }

  /** Takes the terminal. @returns what gives it back */
  start(): () => void {
    const onResize = (): void => {
      // The place of the drawn lines is unknown.
      this.#output.isMute = true;
      clearTimeout(this.#timers.resize);
      this.#timers.resize = setTimeout(() => this.#paint(), RESIZED);
    };
    const unsubscribe = this.#chat.subscribe(() => this.#changed());
    process.stdout.on('resize', onResize);
    const onContinued = (): void => {
      if (this.#isAway) return;
      this.#keyboard.takeAgain();
      this.#paint();
    };
    process.on('SIGCONT', onContinued);
    const giveBackConsole = takeConsole((text) => this.#print(text));
    this.#keyboard.take();
    this.#changed();
    return () => {
      unsubscribe();
      giveBackConsole();
      process.stdout.off('resize', onResize);
      process.off('SIGCONT', onContinued);
      for (const timer of Object.values(this.#timers)) clearTimeout(timer);
      clearImmediate(this.#hearing);
      this.#keys.stop();
      this.#person.end();
      // Nothing stays but what was said and done, and an empty line before what comes next.
      this.#write({ lines: [''] });
      this.#keyboard.close();
    };
  }

  get #screen(): ScreenKind {
    return screenIn({ columns: this.#output.columns, rows: this.#output.height, symbols: this.#symbols });
  }

  /** The chat, or time, has changed what is to be seen. */
  #changed(): void {
    if (this.#chat.isOver) this.#end(0);
    this.#state = withView(this.#state, this.#chat.view, performance.now());
    const due = heldNow(this.#state, this.#chat.view);
    if (due !== undefined) {
      this.#state = due.state;
      this.#act(due.action);
    }
    this.#show();
    // Behind what it calls for. The window of an editor keeps its title.
    if (!this.#isAway) this.#call();
  }

  #call(): void {
    this.#person.waits(callsOf(this.#chat.view.asks));
  }

  #show(): void {
    const { entries } = this.#chat.view;
    const open = entries.findIndex(({ isDone }) => !isDone);
    const done = entries.slice(0, open === -1 ? entries.length : open);
    // The chat was cleared: what stands there is no longer part of it.
    const isOther = this.#written.some((entry, at) => done[at]?.id !== entry.id);
    if (isOther) {
      this.#written = [...done];
      this.#paint(true);
      return;
    }
    for (let at = this.#written.length; at < done.length; at += 1) this.#finished.push(...this.#linesOf(done, at));
    this.#written = [...done];
    this.#frame = this.#framed(entries.slice(done.length));
    this.#draw();
  }

  /** Draws at once, or when the last frame is old enough. The last of several is always drawn. */
  #draw(): void {
    // What is written meanwhile would be lost: it is drawn when the terminal is ours again.
    this.#isDrawn = false;
    if (this.#timers.frame !== undefined || !this.#output.isSeen) return;
    this.#isDrawn = true;
    this.#write(this.#frame);
    if (this.#output.isBehind) this.#undrawn();

    this.#timers.frame = setTimeout(() => {
      delete this.#timers.frame;
      if (!this.#isDrawn) this.#draw();
    }, FRAME);
  }

  /** The terminal did not take the frame: none of it is on the screen. */
  #undrawn(): void {
    this.#state = withStanding(this.#state, undefined, performance.now());
    this.#frame = { ...this.#frame, isShown: false };
  }

  /** The terminal has taken all. Keys typed before that were about unseen output. */
  #onTaken(isLate: boolean): void {
    if (isLate) this.#state = unseen(this.#state, performance.now());
    if (this.#unpainted !== undefined) this.#paint(this.#unpainted.isCleared);
    else if (!this.#output.isMute) this.#show();
  }

  #write(frame: Pick<ScreenFrame, 'lines' | 'cursor'>): void {
    this.#painter.draw([...this.#finished, ...this.#printed], frame);
    [this.#finished, this.#printed] = [[], []];
  }

  /** What others print while the screen is ours: above it, as a text that cannot do anything to it. */
  #print(text: string): void {
    const { columns } = this.#screen;
    this.#printed.push(...wrap(text, columns).map((line) => this.#symbols.shown(line)));
    this.#draw();
  }

  #linesOf(done: readonly TranscriptEntry[], at: number): string[] {
    return entryLines(done[at]!, done[at - 1], this.#screen).map((line) => this.#symbols.shown(line));
  }

  #framed(live: readonly TranscriptEntry[]): ScreenFrame {
    if (performance.now() >= warnedUntil(this.#state)) this.#state = { ...unwarned(this.#state), said: '' };
    this.#wake();
    const now = { heard: this.#heard, epoch: Date.now() };
    const drawn = frame(this.#state, this.#chat, live, this.#written.at(-1), this.#screen, now);
    // What is not drawn stands nowhere.
    const { isSeen } = this.#output;
    this.#state = withStanding(this.#state, isSeen ? drawn.standing : undefined, performance.now());
    return isSeen ? drawn : { ...drawn, isShown: false };
  }

  /** Looks again when keys are taken, and each second while time runs out. */
  #wake(): void {
    const { ask } = this.#state;
    const ready = readyAt(this.#state);
    clearTimeout(this.#timers.ready);
    if (ask !== null && this.#heard < ready) {
      this.#timers.ready = setTimeout(() => this.#hear(), Math.max(0, Math.ceil(ready - performance.now())));
    }
    clearTimeout(this.#timers.warned);
    const until = warnedUntil(this.#state);
    if (until !== Infinity)
      this.#timers.warned = setTimeout(() => this.#show(), Math.max(0, Math.ceil(until - performance.now())));
    const isTicking = ask !== null && ask.ask.request.expiresAt !== null;
    if (isTicking) this.#timers.tick ??= setInterval(() => this.#show(), 1000);
    else {
      clearInterval(this.#timers.tick);
      delete this.#timers.tick;
    }
  }

  /** Keys that were typed while the program stood still are read first: they are no answer to what was not seen. */
  #hear(): void {
    clearImmediate(this.#hearing);
    this.#hearing = setImmediate(() => {
      this.#heard = performance.now();
      this.#show();
    });
  }

  /** Repaints all: the last entries that fit, if they are still to be seen, and what is below. */
  #paint(isCleared = false): void {
    if (this.#isAway) return;
    if (this.#output.isBehind) {
      this.#unpainted = { isCleared };
      return;
    }
    this.#unpainted = undefined;
    this.#output.isMute = false;
    this.#output.clear();
    this.#painter = new ScreenPainter((text) => this.#output.write(text));
    // What came while the screen was somebody else's has not been seen; what was typed there is no answer to it.
    this.#state = unseen(this.#state, performance.now());
    const done = this.#written;
    this.#frame = this.#framed(this.#chat.view.entries.slice(done.length));
    let room = isCleared ? 0 : this.#screen.rows - this.#frame.lines.length - 1;
    const seen: string[][] = [];
    for (let at = done.length - 1; at >= 0; at -= 1) {
      const lines = this.#linesOf(done, at);
      room -= lines.length;
      if (room < 0) break;
      seen.unshift(lines);
    }
    this.#finished = seen.flat();
    clearTimeout(this.#timers.frame);
    delete this.#timers.frame;
    this.#draw();
  }

  #take(presses: readonly KeyPress[]): void {
    for (const each of presses) {
      this.#state = withStood(this.#state, performance.now());
      const around: PressContext = {
        view: this.#chat.view,
        now: performance.now(),
        typedAfter: this.#heard,
        complete: (line) => this.#chat.complete(line),
        commands: this.#chat.commands,
        isShown: this.#frame.isShown,
        tooSmall: this.#screen.tooSmall,
        scroll: this.#frame.scroll,
        hasEditor: namedEditor() !== undefined,
      };
      const { state, action } = press(this.#state, each, around);
      this.#state = state;
      if (action !== undefined) this.#act(action);
      // The next key is about what this one has made of it.
      this.#show();
    }
  }

  /** The Esc key before was none: it is no first of two. */
  #takeBack(): void {
    if (this.#state.ask?.warned?.key !== 'escape') return;
    this.#state = { ...unwarned(this.#state), said: '' };
    this.#show();
  }

  #act(action: KeyAction): void {
    const chat = this.#chat;
    switch (action.type) {
      case 'submit':
        if (action.isKept) this.#keep(action.line);
        return this.#follow(chat.submit(action.line));
      case 'decide':
        return this.#follow(this.#decide(action.answers), idsOf(action.answers));
      case 'approveAll':
        return this.#follow(
          this.#decide(action.answers).then(() => chat.approveAll()),
          [...idsOf(action.answers), action.approvalId],
        );
      case 'answer':
        return this.#follow(chat.answer(action.approvalId, action.answers), [action.approvalId]);
      case 'edit':
        return this.#follow(this.#edit(action));
      case 'reconsider':
        return this.#follow(this.#reconsider(action));
      case 'interrupt':
        chat.interrupt();
        return undefined;
      case 'quit':
        return this.#end(0);
      case 'repaint':
        return this.#paint();
    }
  }

  /** For other sessions. What cannot be kept is said once, and what was written counts all the same. */
  #keep(line: string): void {
    try {
      this.#history?.add(line);
    } catch (error) {
      this.#history = undefined;
      this.#state = { ...this.#state, said: `your prompts are not kept: ${oneLine(messageOf(error))}` };
    }
  }

  /** What goes wrong is told, and what was not taken waits again. */
  #follow(done: Promise<unknown>, ids: readonly string[] = []): void {
    const after = (said: string): void => {
      this.#state = withView(this.#state, this.#chat.view, performance.now());
      for (const id of ids) this.#state = unsent(this.#state, id);
      if (said !== '') this.#state = { ...this.#state, said };
      this.#changed();
    };
    void done.then(
      () => after(''),
      (error: unknown) => after(oneLine(messageOf(error))),
    );
  }

  async #decide(answers: readonly CallAnswer[]): Promise<void> {
    for (const answer of answers) {
      const { approvalId } = answer;
      if (answer.type === 'always') await this.#chat.always(approvalId, answer.scope);
      else await this.#chat.decide(approvalId, answer.decision);
    }
  }

  /** What other arguments would do is shown before they run. */
  async #reconsider(edit: Extract<KeyAction, { type: 'reconsider' }>): Promise<void> {
    const isAsked = (): boolean => this.#state.ask?.ask.request.approvalId === edit.approvalId;
    try {
      const ask = await this.#chat.reconsider(edit.approvalId, edit.args);
      if (isAsked()) this.#state = withReconsidered(this.#state, edit, ask, performance.now());
    } catch (error) {
      if (isAsked()) this.#state = goTo(this.#state, PANEL);
      throw error;
    }
  }

  /** In the human's editor, which has the terminal meanwhile. */
  async #edit({ approvalId, text, field, extension }: Extract<KeyAction, { type: 'edit' }>): Promise<void> {
    this.#isAway = true;
    this.#output.isMute = true;
    this.#keyboard.giveBack();
    // Ctrl+C is the editor's meanwhile.
    const onInterrupt = process.listeners('SIGINT');
    const ignore = (): void => {};
    process.removeAllListeners('SIGINT').on('SIGINT', ignore);
    let after: string | undefined;
    let said = '';
    try {
      after = await inEditor(text, extension);
    } catch (error) {
      said = oneLine(messageOf(error));
    } finally {
      process.off('SIGINT', ignore);
      for (const listener of onInterrupt) process.on('SIGINT', listener);
      this.#isAway = false;
      this.#keyboard.take();
      this.#output.isMute = false;
    }
    const ask = this.#state.ask?.ask;
    if (ask?.kind === 'approval' && ask.request.approvalId === approvalId) {
      if (after === undefined || after.trim() === '')
        this.#state = goTo(this.#state, PANEL, said || 'not edited: the call still waits');
      else {
        const { state, action } = withEdited(this.#state, ask, after, field);
        this.#state = state;
        if (action !== undefined) this.#act(action);
      }
    }
    this.#paint();
    this.#call();
  }
}
