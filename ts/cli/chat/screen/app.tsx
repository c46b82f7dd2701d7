/** The screen: what has been said and done goes into the scrollback, and what goes on is below. */
import { Box, render, Static, Text, useCursor, type Instance } from 'ink';
import { useSyncExternalStore } from 'react';
import type { Frame } from './frame.js';
import type { Output } from './output.js';

/** What stands for itself, and never changes. */
export interface Finished {
  readonly id: number;
  readonly lines: readonly string[];
}

/** What is to be seen at this moment. */
export interface Scene {
  /** Since the screen was last painted: each is written once. */
  readonly finished: readonly Finished[];
  readonly frame: Frame;
}

/** Where the scene comes from. */
export interface Stage {
  readonly scene: Scene;
  subscribe(listener: () => void): () => void;
}

function App({ stage }: { stage: Stage }) {
  const { finished, frame } = useSyncExternalStore(
    (listener) => stage.subscribe(listener),
    () => stage.scene,
  );
  const { setCursorPosition } = useCursor();
  setCursorPosition(frame.cursor);
  return (
    <>
      <Static items={finished as Finished[]}>{({ id, lines }) => <Lines key={id} lines={lines} />}</Static>
      <Lines lines={frame.lines} />
    </>
  );
}

/** Each is one line of the screen, whatever is in it: what is too wide after all is cut. */
const Lines = ({ lines }: { lines: readonly string[] }) => (
  <Box flexDirection="column">
    {lines.map((line, at) => (
      // An empty text has no height.
      <Text key={at} wrap="truncate-end">
        {line === '' ? ' ' : line}
      </Text>
    ))}
  </Box>
);

export interface Drawing extends Pick<Instance, 'unmount' | 'waitUntilExit'> {
  /** Draws what is to be seen now, at once. */
  flush(): void;
}

/** Draws the stage, now and whenever it changes. */
export function draw(stage: Stage, output: Output): Drawing {
  const instance = render(<App stage={stage} />, {
    // Ink needs no more of a terminal than this.
    stdout: output as unknown as NodeJS.WriteStream,
    // Keys are read by ourselves: we have to know what came together.
    exitOnCtrlC: false,
    patchConsole: true,
  });
  return { ...instance, flush: () => instance.rerender(<App stage={stage} />) };
}
