import type { GateEvent, Logger } from '../../index.js';

/** One line per step of a request's life. Arguments, which may hold secrets, appear at `trace` only. */
export function logEvent(logger: Logger, event: GateEvent): void {
  try {
    switch (event.type) {
      case 'requested': {
        const { approvalId, toolName, toolCallId, runId, origin, expiresAt, args } = event.request;
        logger.info?.('approval requested', { approvalId, toolName, toolCallId, runId, origin, expiresAt });
        logger.trace?.('approval requested with', { approvalId, args });
        return;
      }
      case 'decided': {
        const { approvalId, toolName, toolCallId, runId } = event.request;
        const { decision, decidedBy, via } = event;
        logger.info?.('approval decided', {
          approvalId,
          toolName,
          toolCallId,
          runId,
          decision: decision.type,
          decidedBy,
          via,
        });
        logger.trace?.('approval decided with', { approvalId, decision });
        return;
      }
      case 'started':
        logger.debug?.('tool started', { approvalId: event.approvalId });
        return;
      case 'settled':
        logger.debug?.('tool settled', { approvalId: event.approvalId, status: event.status });
    }
  } catch {
    // A logger that throws must not change what runs.
  }
}
