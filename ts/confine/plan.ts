// Made of the types of `crates/confine` by its test `typescript_has_these_types`. Not edited by hand:
// COUNTERSIGN_WRITE_TYPES=1 cargo test -p countersign-confine typescript

/**
 * The enforcement that the command needs: with less, it does not run.
 */
export type EnforcementDemand = "walls" | "whole";

/**
 * A gap: something that a plan forbids and this kernel does not enforce.
 */
export type EnforcementGap = "hidden-files" | "protected-files" | "private-folders" | "names" | "metadata" | "processes" | "signals" | "orphans" | "proxy-port" | "local-sockets";

/**
 * Limits of resources. An absent limit stays as it is.
 */
export type ResourceLimits = {
/**
 * Processes of this user, those outside included where there is no namespace of users.
 */
processes: number | null,
/**
 * Bytes of address space for each process.
 */
memory: number | null,
/**
 * Bytes of each file that is written.
 */
fileSize: number | null,
/**
 * Open descriptors of each process.
 */
openFiles: number | null, };

/**
 * A line on the status descriptor.
 */
export type StatusLine = { "confined": {
/**
 * The version of Landlock that is used.
 */
landlock: number,
/**
 * Whether there are namespaces.
 */
namespaces: boolean,
/**
 * Why there are no namespaces.
 */
noNamespaces: string | null,
/**
 * The gaps that are left.
 */
open: Array<EnforcementGap>, } } | { "failed": {
/**
 * The reason.
 */
reason: string, } };

/**
 * The access of the command to the network.
 */
export type NetworkAccess = "none" | "loopback" | { "proxy": {
/**
 * The port.
 */
port: number,
/**
 * The socket with a path on which the proxy listens; without it, it listens on the same port out here. Only with namespaces.
 */
socket: string | null,
/**
 * The number of that socket's file, in decimal. Where another one is there by now, nothing is run.
 */
inode: string | null, } };

/**
 * The command and its rights. Everything that is not in the plan is forbidden.
 */
export type LaunchPlan = {
/**
 * The program and its arguments. A name without a slash is looked for in the kept `PATH`.
 */
command: Array<string>,
/**
 * Its working directory: an absolute path that it may read.
 */
cwd: string,
/**
 * Files and folders that it may read and execute, with all that is below. One that does not exist is left out.
 */
read: Array<string>,
/**
 * Files and folders that it may also change, make and remove.
 */
write: Array<string>,
/**
 * Those of `read` and `write` that lie just there: one with a symlink on its way is left out. On the way to others, no symlink
 * is followed that stands where the command may write.
 */
exact: Array<string>,
/**
 * Files and folders below those that it may read and not change. Only a mount namespace holds it.
 */
protect: Array<string>,
/**
 * Files and folders below those that it may not even read. Only a mount namespace holds it.
 */
hide: Array<string>,
/**
 * Folders that are empty at first, writable and gone afterwards, beside `/tmp`. Only a mount namespace gives them.
 */
private: Array<string>,
/**
 * A folder to use as `/tmp`, instead of one that goes with the call.
 */
temporary: string | null,
/**
 * Its access to the network.
 */
network: NetworkAccess,
/**
 * Whether it may use sockets with a path, below `read`. Only a mount namespace keeps the other sockets out of sight.
 */
localSockets: boolean,
/**
 * The names of the variables that it gets. `TMPDIR` is ours.
 */
environment: Array<string>,
/**
 * Limits of resources.
 */
limits: ResourceLimits,
/**
 * A descriptor for lines of JSON about the sandbox, never about the command.
 */
status: number | null,
/**
 * Refuse to run when one of these is not held.
 */
demand: EnforcementDemand,
/**
 * Use no more of Landlock than this version of it has. For tests.
 */
abi: number | null,
/**
 * Use no namespaces, where the report finds none. Otherwise nothing is run if they fail.
 */
withoutNamespaces: boolean,
/**
 * The gaps that the caller accepts. With any other gap, nothing is run; `null`: the demand alone counts.
 */
open: Array<EnforcementGap> | null, };

/**
 * The support of this kernel: which walls it has, and which gaps they leave.
 */
export type SupportReport = {
/**
 * Whether anything can be confined here.
 */
supported: boolean,
/**
 * The version of Landlock; 0: none.
 */
landlock: number,
/**
 * The access rights of newer versions that this one does not hold by itself.
 */
landlockLacks: Array<string>,
/**
 * Filters of system calls.
 */
seccomp: boolean,
/**
 * Namespaces of users, mounts, processes, networks and IPC, all of them.
 */
namespaces: boolean,
/**
 * Why there are no namespaces.
 */
noNamespaces: string | null,
/**
 * The gaps that it leaves in a plan that uses everything.
 */
open: Array<EnforcementGap>, };
