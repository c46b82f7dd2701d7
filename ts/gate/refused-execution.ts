/** What stands in the way of an execution. */
export class RefusedExecution extends Error {
  override readonly name = 'Refused';
}
