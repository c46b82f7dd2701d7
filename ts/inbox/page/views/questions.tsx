/** @jsxImportSource preact */
import { useState } from 'preact/hooks';
import type { ShownQuestion } from '../../protocol.js';
import { decide } from '../state/answers.js';
import { keepDraft } from '../state/drafts.js';
import { Frame } from './frame.js';
import { Given } from './parts.js';

/** As {@link QuestionsAnswered} wants it: a text, one option or own words, several options; `null`: left out. */
type ShownAnswer = string | readonly string[] | null;

interface QuestionsProps {
  id: string;
  questions: readonly ShownQuestion[];
  onDone: () => void;
}

/** What the model asks, to be answered. */
export function Questions({ id, questions, onDone }: QuestionsProps) {
  const [answers, setAnswers] = useState<readonly ShownAnswer[]>(questions.map(() => null));
  const missing = questions.flatMap(({ required }, index) =>
    required && !isGiven(answers[index] ?? null) ? [index + 1] : [],
  );
  return (
    <Frame
      title={questions.length === 1 ? 'Answer' : `Answer ${questions.length} questions`}
      send="Send"
      isWhole={missing.length === 0}
      missing={stillToAnswer(missing, questions.length)}
      onSend={() => {
        onDone();
        const given = answers.map((answer) => (isGiven(answer) ? answer : null));
        void decide(id, { type: 'respond', output: { answers: given } });
      }}
      onBack={onDone}
    >
      {questions.map((question, index) => (
        <Ask
          key={index}
          name={`question-${index}`}
          number={questions.length === 1 ? null : index + 1}
          question={question}
          answer={answers[index] ?? null}
          onAnswer={(answer) => {
            const next = answers.with(index, answer);
            setAnswers(next);
            keepDraft(id, 'Answers', next.map((each) => [each ?? []].flat().join(', ')).join('\n'));
          }}
        />
      ))}
    </Frame>
  );
}

/** What keeps the answers from being sent; empty: nothing. */
function stillToAnswer(missing: readonly number[], count: number): string {
  if (missing.length === 0) return '';
  if (count === 1) return 'It must be answered before you can send.';
  const which = missing.length === 1 ? `Question ${missing[0]}` : `Questions ${missing.join(', ')}`;
  return `${which} must be answered before you can send.`;
}

const isGiven = (answer: ShownAnswer) =>
  answer !== null && (typeof answer === 'string' ? answer.trim() !== '' : answer.length > 0);

interface AskProps {
  name: string;
  /** `null`: it is the only one. */
  number: number | null;
  question: ShownQuestion;
  answer: ShownAnswer;
  onAnswer: (answer: ShownAnswer) => void;
}

function Ask({ name, number, question, answer, onAnswer }: AskProps) {
  return (
    <fieldset class="question">
      <legend>
        {number !== null && `${number}. `}
        {question.header !== null && (
          <span class="topic">
            <Given>{question.header}</Given>
          </span>
        )}
        <Given>{question.question}</Given> {!question.required && <span class="quiet">may be left out</span>}
      </legend>
      {question.kind === 'text' && (
        <textarea
          rows={3}
          aria-label={question.question}
          value={typeof answer === 'string' ? answer : ''}
          onInput={({ currentTarget }) => onAnswer(currentTarget.value)}
        />
      )}
      {question.kind === 'multiple_choice' && (
        <OneOf name={name} options={question.options} answer={answer} onAnswer={onAnswer} />
      )}
      {question.kind === 'multi_select' && (
        <SomeOf options={question.options} answer={Array.isArray(answer) ? answer : []} onAnswer={onAnswer} />
      )}
    </fieldset>
  );
}

type QuestionOptions = ShownQuestion['options'];

function Label({ label, description }: QuestionOptions[number]) {
  return (
    <span>
      <Given>{label}</Given>
      {description !== null && (
        <span class="quiet">
          <Given>{description}</Given>
        </span>
      )}
    </span>
  );
}

/** One of them, or something else in own words. */
function OneOf({
  name,
  options,
  answer,
  onAnswer,
}: Omit<AskProps, 'number' | 'question'> & { options: QuestionOptions }) {
  const [isOther, setOther] = useState(false);
  const [own, setOwn] = useState('');
  return (
    <>
      {options.map((option, index) => (
        <label key={index} class="check">
          <input
            type="radio"
            name={name}
            checked={!isOther && answer === option.value}
            onChange={() => {
              setOther(false);
              onAnswer(option.value);
            }}
          />
          <Label {...option} />
        </label>
      ))}
      <label class="check">
        <input
          type="radio"
          name={name}
          checked={isOther}
          onChange={() => {
            setOther(true);
            onAnswer(own);
          }}
        />
        Something else
      </label>
      {isOther && (
        <textarea
          rows={2}
          aria-label="Something else"
          value={own}
          onInput={({ currentTarget }) => {
            setOwn(currentTarget.value);
            onAnswer(currentTarget.value);
          }}
        />
      )}
    </>
  );
}

interface SomeOfProps {
  options: QuestionOptions;
  answer: readonly string[];
  onAnswer: (answer: ShownAnswer) => void;
}

function SomeOf({ options, answer, onAnswer }: SomeOfProps) {
  return (
    <>
      {options.map((option, index) => (
        <label key={index} class="check">
          <input
            type="checkbox"
            checked={answer.includes(option.value)}
            onChange={({ currentTarget: { checked } }) =>
              // In the order of the options, not of the clicks.
              onAnswer(
                options
                  .map(({ value }) => value)
                  .filter((value) => (value === option.value ? checked : answer.includes(value))),
              )
            }
          />
          <Label {...option} />
        </label>
      ))}
    </>
  );
}

/** What the model asks, to be read. */
export function Asked({ questions }: { questions: readonly ShownQuestion[] }) {
  return (
    <ol class="asked-questions" aria-label="Questions">
      {questions.map(({ header, question, options, required }, index) => (
        <li key={index}>
          <p>
            {header !== null && (
              <span class="topic">
                <Given>{header}</Given>
              </span>
            )}
            <Given>{question}</Given> {!required && <span class="quiet">may be left out</span>}
          </p>
          {options.length > 0 && (
            <ul class="options">
              {options.map(({ label, description }, at) => (
                <li key={at}>
                  <Given>{label}</Given>
                  {description !== null && (
                    <span class="quiet">
                      {' '}
                      <Given>{description}</Given>
                    </span>
                  )}
                </li>
              ))}
            </ul>
          )}
        </li>
      ))}
    </ol>
  );
}
