/** A tool of questions in a loop that is not ours: its `execute` asks the human, and returns what became of it. */
import type { Tool } from 'ai';
import type { ExecutionDenied, QuestionsAnswer } from '../../../index.js';
import { checkSignal } from './call-signal.js';
import { warnFailedCall } from './failed-calls.js';
import { runOfStep } from './step-runs.js';
import { reasonOfError } from '../../errors/reason-of.js';
import type { CallAsker } from '../../gate/asker.js';
import type { LocalGate } from '../../gate/gate.js';
import { existingRecord, isTurnEnd } from '../../gate/records.js';
import type { Gating } from '../../native.js';
import { snapshot } from '../../values/snapshot.js';
import { askCall } from '../../gate/ask-call.js';
import { denied, deniedOutput, isExecutionDenied } from './denied.js';
import { lookForEnd, ofEndedTurn, withinTurn } from './ended-turns.js';
import { noteCall } from './made-calls.js';
import { modelOutput, type ModelOutput } from '../messages/history.js';
import { answerText, CallQuestions, questionsIn } from '../tools/questions.js';
import { DUPLICATE_ID, REJECTED, reasonOf } from '../messages/reasons.js';
import type { ParentRun } from '../tools/parent-run.js';
import { copyTool, type ExecuteOptions, type ModelOutputOptions } from '../tools/tools.js';

export interface QuestionGateOptions {
  name: string;
  tool: Tool;
  gating: Gating;
  asker: CallAsker;
  /** The run that the tools are gated for a part of. */
  parent: ParentRun | undefined;
  /** The run that the user named; without one, the calls of each step are one. */
  runId: string | null;
}

/** The tool with an `execute` that waits for the answer. */
export function askingTool(options: QuestionGateOptions): Tool {
  const { tool } = options;
  const execute = async (input: unknown, called: ExecuteOptions): Promise<QuestionsAnswer | ExecutionDenied> => {
    checkSignal('gateTools', options.name, called.abortSignal);
    called.abortSignal?.throwIfAborted();
    noteCall(called, { asker: options.asker, toolName: options.name, input });
    await lookForEnd(options.asker.gate, called);
    const ended = ofEndedTurn(called);
    if (ended !== undefined) return ended;
    // What it refuses, the model is told as an error of the tool.
    const questions = questionsIn(tool, snapshot(input).value);
    try {
      const answer = await ask(options, new CallQuestions(questions), input, called);
      called.abortSignal?.throwIfAborted();
      return answer;
    } catch (error) {
      called.abortSignal?.throwIfAborted();
      warnFailedCall('gateTools', options.name, error);
      return { status: 'error', reason: existingRecord(error) === undefined ? reasonOfError(error) : DUPLICATE_ID };
    }
  };
  // The loop's own stop cannot carry an answer.
  return copyTool(tool, {
    execute,
    needsApproval: false,
    toModelOutput: (made: ModelOutputOptions) => toModelOutput(tool, made, options.asker.gate),
  });
}

async function ask(
  { name, tool, gating, asker, parent, runId }: QuestionGateOptions,
  questioning: CallQuestions,
  input: unknown,
  options: ExecuteOptions,
): Promise<QuestionsAnswer | ExecutionDenied> {
  const { toolCallId, abortSignal = new AbortController().signal, ...context } = options;
  const { args, questions } = questioning;
  const verdict = await asker.judge(
    { toolCallId, toolName: name, args: snapshot(input), context },
    { gating, entry: undefined, tool, hostJudges: [], signal: abortSignal, isQuestion: true },
  );
  if (verdict.effect === 'deny') return denied(verdict.reason, 'reject', null);
  const question = { toolCallId, toolName: name, args, gating, entry: undefined, verdict, questions };
  const ofRun = runId ?? runOfStep(options);
  let answer: QuestionsAnswer | undefined;
  const asked = await askCall(question, {
    asker,
    runId: ofRun,
    signal: abortSignal,
    open: (asking) => asker.openAndWait(asking, ofRun),
    opened: async (opened) => {
      withinTurn(asker.gate, opened, options, () => parent?.endTurn());
      return { isAnswered: false };
    },
    objection: async (_, decided) => {
      answer = questioning.take(decided);
      return questioning.objection;
    },
    // Only its answer did not fit.
    judge: async () => verdict,
  });
  if (answer === undefined || asked.kind !== 'decided') throw new Error('The question has no answer.');
  const { decision, approvalId } = asked.decided;
  if (isTurnEnd(decision)) return denied(reasonOf(decision) ?? REJECTED, decision.type, approvalId, true);
  return ofEndedTurn(options, approvalId) ?? answer;
}

async function toModelOutput(tool: Tool, { input, output }: ModelOutputOptions, gate: LocalGate): Promise<ModelOutput> {
  if (isExecutionDenied(output)) return deniedOutput(gate, output);
  try {
    return { type: 'text', value: answerText(questionsIn(tool, input), output as QuestionsAnswer) };
  } catch {
    return modelOutput(output);
  }
}
