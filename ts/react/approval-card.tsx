import { useEffect, useId, useState, type MouseEvent, type ReactElement } from 'react';
import type { ApprovalCardProps, ApprovalLabels, PendingApprovalOf } from '../../react.js';
import { typedJson } from '../values/typed-json.js';
import { ignoreHeld, isSecondYes, type ShownLook } from '../press/second-look.js';
import { EditField, jsonOf } from './edit-field.js';
import { LABELS } from './labels.js';
import { Preview } from './preview.js';
import { safeText, wholeOf } from './safe-text.js';
import { isHidden, standsOut } from './stands-out.js';

/** @see react.d.ts */
export function ApprovalCard(props: ApprovalCardProps): ReactElement {
  const { approval, className, headingLevel = 3, renderPreview, renderActions } = props;
  const labels = { ...LABELS, ...props.labels };
  const titleId = useId();
  const Heading = `h${headingLevel}` as const;
  const { details, toolName, preview } = approval;
  return (
    <section
      className={className}
      aria-labelledby={titleId}
      data-countersign="approval"
      data-tool={toolName}
      data-state={approval.isExpired ? 'expired' : approval.state}
    >
      <Heading id={titleId} data-part="title">
        {labels.title(safeText(toolName))}
      </Heading>
      <Facts approval={approval} labels={labels} />
      {renderPreview ? renderPreview(approval) : <Preview text={preview} label={labels.preview} />}
      {isHidden(approval) && (
        <details data-part="whole">
          <summary>{labels.whole}</summary>
          <Preview text={wholeOf(approval.input)} label={labels.whole} />
        </details>
      )}
      {details === undefined && <p data-part="no-details">{labels.noDetails}</p>}
      {/* By its id: what is typed for one call must never stand in the card of another. */}
      {renderActions ? (
        renderActions(approval)
      ) : (
        <Actions key={approval.approvalId} approval={approval} labels={labels} />
      )}
    </section>
  );
}

interface PartProps {
  approval: PendingApprovalOf<string, string, unknown>;
  labels: ApprovalLabels;
}

/** What is seen for what it is, and warns of nothing. */
const HARMLESS_FLAGS = ['multiline'];

function Facts({ approval: { details, isExpired }, labels }: PartProps): ReactElement | null {
  if (details === undefined) return null;
  const { description, flags, why, origin, changes, needs, approvedBy, contents, expiresAt } = details;
  // A server of before says nothing of these.
  const { dangers = [], review = null, agentReason = null } = details;
  const warnings = [
    ...dangers,
    ...flags.filter((flag) => !HARMLESS_FLAGS.includes(flag)).map((flag) => labels.warning(flag)),
  ];
  return (
    <>
      <p data-part="description">
        <bdi>{description}</bdi>
      </p>
      {warnings.length > 0 && (
        <p data-part="warnings">
          <strong>{labels.warnings}</strong>: <bdi>{warnings.join(', ')}</bdi>
        </p>
      )}
      {contents === 'redacted' && <p data-part="redacted">{labels.redacted}</p>}
      {why !== null && (
        <p data-part="why">
          <bdi>{labels.why(why)}</bdi>
        </p>
      )}
      {agentReason !== null && (
        <p data-part="agent-reason">
          <bdi>{labels.agentReason(agentReason)}</bdi>
        </p>
      )}
      {review !== null && (
        <p data-part="review">
          <bdi>{review}</bdi>
        </p>
      )}
      {origin.length > 1 && (
        <p data-part="origin">
          <bdi>{labels.origin(origin)}</bdi>
        </p>
      )}
      {changes.map((change) => (
        <p key={change.path} data-part="change">
          <bdi>{labels.change(change)}</bdi>
        </p>
      ))}
      {needs.map((need, at) => (
        <p key={at} data-part="need">
          <bdi>{labels.need(need, approvedBy)}</bdi>
        </p>
      ))}
      {expiresAt !== null && !isExpired && <TimeLeft expiresAt={expiresAt} label={labels.timeLeft} />}
    </>
  );
}

/** Not told aloud each second: it is read when it is looked for. */
function TimeLeft({ expiresAt, label }: { expiresAt: number; label: ApprovalLabels['timeLeft'] }): ReactElement | null {
  const [now, setNow] = useState<number>();
  useEffect(() => {
    const read = () => setNow(Date.now());
    read();
    const timer = setInterval(read, 1_000);
    return () => clearInterval(timer);
  }, []);
  // A server draws no clock.
  if (now === undefined) return null;
  return (
    <p data-part="time-left">
      <time dateTime={new Date(expiresAt).toISOString()}>
        {label(Math.max(0, Math.ceil((expiresAt - now) / 1_000)))}
      </time>
    </p>
  );
}

/** What a person typed, or why that is not what would run. */
function parsed(text: string): { value: unknown } | { fault: string } {
  try {
    return { value: typedJson(text) };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : '' };
  }
}

/** Whether two values are the same as JSON, in any order of names. */
const isSameJson = (one: unknown, other: unknown): boolean => inOrder(one) === inOrder(other);

const inOrder = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  ) ?? '';

/** A second look at what was shown, and at nothing else. */
interface CardLook extends ShownLook {
  readonly what: string;
}

function Actions({ approval, labels }: PartProps): ReactElement {
  const [reason, setReason] = useState('');
  const [edited, setEdited] = useState<string>();
  /** What was shown when the first yes came. */
  const [look, setLook] = useState<CardLook>();
  const [isTooEarly, setTooEarly] = useState(false);
  const { state, isExpired } = approval;
  const written = jsonOf(approval.input);
  const read = edited === undefined ? undefined : parsed(edited);
  const args = read !== undefined && 'value' in read ? read : undefined;
  const isUnchanged = args !== undefined && isSameJson(args.value, approval.input);
  /** All that a yes is about: the edit, or the call with what is said of it. */
  const shown = edited ?? JSON.stringify([written, approval.preview, approval.details]);
  const hasLooked = look?.what === shown;
  const isOut = state === 'answered';
  const click = (decide: () => Promise<void>) => (event: MouseEvent) => {
    // The second of a double click, whose first answered another card that stood here.
    if (event.detail <= 1) void decide();
  };
  /** A yes to what is looked at twice: the first one shows it. */
  const yes = (isDoubted: boolean, decide: () => Promise<void> | undefined) => (event: MouseEvent) => {
    if (isDoubted && !hasLooked) setLook({ what: shown, since: performance.now() });
    const isMeant = isDoubted ? hasLooked && isSecondYes(look, event) : event.detail <= 1;
    setTooEarly(isDoubted && hasLooked && !isMeant);
    if (isMeant) void decide();
  };
  return (
    <div data-part="actions" onKeyDown={ignoreHeld}>
      <label>
        <span>{labels.reason}</span>
        <textarea value={reason} disabled={isOut} rows={2} onChange={(event) => setReason(event.target.value)} />
      </label>
      <button type="button" data-decision="reject" disabled={isOut} onClick={click(() => approval.reject(reason))}>
        {labels.reject}
      </button>
      {edited === undefined ? (
        <>
          {approval.edit !== undefined && (
            <button type="button" data-part="edit" disabled={isOut || isExpired} onClick={() => setEdited(written)}>
              {labels.edit}
            </button>
          )}
          <button
            type="button"
            data-decision="approve"
            data-marked={approval.details?.harmless === true && !standsOut(approval) ? '' : undefined}
            disabled={isOut || isExpired}
            onClick={yes(standsOut(approval), () => approval.approve(reason))}
          >
            {hasLooked ? labels.approveAnyway : labels.approve}
          </button>
        </>
      ) : (
        <>
          <EditField
            input={approval.input}
            json={edited}
            args={args}
            labels={labels}
            isDisabled={isOut}
            onChange={setEdited}
          />
          {read !== undefined && 'fault' in read && (
            <p data-part="not-json">
              {labels.notJson} <bdi>{safeText(read.fault)}</bdi>
            </p>
          )}
          {isUnchanged && <p data-part="unchanged">{labels.unchanged}</p>}
          {args !== undefined && hasLooked && <Preview text={wholeOf(args.value)} label={labels.shownEdit} />}
          <button
            type="button"
            data-decision="edit"
            disabled={isOut || isExpired || args === undefined || isUnchanged}
            // What it becomes is judged elsewhere, so that each is looked at twice.
            onClick={yes(true, () => approval.edit?.(args?.value, reason))}
          >
            {hasLooked ? labels.approveAnyway : labels.approveEdit}
          </button>
        </>
      )}
      <p data-part="status" role="status">
        {isOut ? labels.answered : isExpired ? labels.expired : isTooEarly && hasLooked ? labels.tooEarly : ''}
      </p>
      {state === 'failed' && (
        <p data-part="error" role="alert">
          {labels.failed}
        </p>
      )}
    </div>
  );
}
