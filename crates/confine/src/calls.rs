//! System calls, filtered by seccomp: those that no command of an agent needs, and those that lead around the other walls.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, sock_filter,
};

/// The other walls around the command. Which system calls are refused depends on them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FilterContext {
    /// Whether there are namespaces.
    pub namespaces: bool,
    /// The version of Landlock that is used.
    pub landlock: u8,
    /// Whether the command has any network: one of its own, or, without namespaces, one port that Landlock holds.
    pub network: bool,
    /// Whether sockets with a path may be used.
    pub local_sockets: bool,
}

/// The refused system calls by number, each with the arguments that are refused. No rule: all arguments.
type SeccompRules = BTreeMap<i64, Vec<SeccompRule>>;
/// An invalid rule or program. The rules are constant, so it means a bug here.
type SeccompError = seccompiler::Error;

/// System calls that are refused with any arguments.
const NEVER: &[i64] = &[
    // Into other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // Around filters of system calls, and into the kernel.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_userfaultfd,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_reboot,
    libc::SYS_syslog,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_fanotify_init,
    libc::SYS_open_by_handle_at,
    libc::SYS_lookup_dcookie,
    libc::SYS_nfsservctl,
    // The tree of files.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_setns,
    // State that all processes share.
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_vhangup,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_uselib,
];

/// As if this kernel had none: programs then use the older calls, whose arguments can be looked at.
const ABSENT: &[i64] = &[libc::SYS_clone3, libc::SYS_openat2];

/// Memory and messages that processes share by a number, where they are not of our own.
const SHARED: &[i64] = &[
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semctl,
    libc::SYS_semtimedop,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
];

/// Owners and attributes of files outside, which Landlock does not hold. Modes and times are needed too often to be refused.
const OWNERS: &[i64] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
];

const SPACES: &[i32] = &[
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];
const CLONE_NEWTIME: i32 = 0x80;

/// Puts words into the input of a terminal.
const TERMINAL_INPUT: &[u64] = &[TIOCSTI, TIOCLINUX];
const TIOCSTI: u64 = 0x5412;
const TIOCLINUX: u64 = 0x541C;

/// The last call that was looked at here (`mseal`, Linux 6.10). Newer ones are as if this kernel had none.
const LAST_KNOWN: u32 = 462;

/// Puts the filters up, for this process and all that it starts. There is no way back.
pub(crate) fn confine(context: FilterContext) -> Result<(), String> {
    let failed = |error: SeccompError| format!("the filter of system calls was refused: {error}");
    let mut refused =
        refused(context).and_then(|rules| compile(rules, libc::EPERM)).map_err(failed)?;
    let absent = ABSENT.iter().map(|call| (*call, Vec::new())).collect();
    let absent = compile(absent, libc::ENOSYS).map_err(failed)?;
    // The head says ENOSYS for numbers that the rules below do not know.
    refused.splice(0..0, head());
    seccompiler::apply_filter(&absent).map_err(failed)?;
    seccompiler::apply_filter(&refused).map_err(failed)
}

fn compile(rules: SeccompRules, error: i32) -> Result<BpfProgram, SeccompError> {
    let action = SeccompAction::Errno(error as u32);
    let arch = std::env::consts::ARCH.try_into()?;
    // A call of another architecture ends the process: that is how these filters begin.
    Ok(SeccompFilter::new(rules, SeccompAction::Allow, action, arch)?.try_into()?)
}

/// Numbers above the known ones, the second set of numbers of x86 (x32) among them: `ENOSYS`.
fn head() -> [sock_filter; 3] {
    const LOAD: u16 = 0x20; // BPF_LD | BPF_W | BPF_ABS
    const JUMP_IF_GREATER: u16 = 0x25; // BPF_JMP | BPF_JGT | BPF_K
    const RETURN: u16 = 0x06; // BPF_RET | BPF_K
    [
        // The number of the call is the first word.
        sock_filter { code: LOAD, jt: 0, jf: 0, k: 0 },
        sock_filter { code: JUMP_IF_GREATER, jt: 0, jf: 1, k: LAST_KNOWN },
        sock_filter {
            code: RETURN,
            jt: 0,
            jf: 0,
            k: libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32,
        },
    ]
}

/// System calls whose first argument is the number of a process.
const OF_PROCESSES: &[i64] = &[
    libc::SYS_prlimit64,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setscheduler,
];

fn refused(context: FilterContext) -> Result<SeccompRules, SeccompError> {
    let mut rules = SeccompRules::new();
    let mut never = |calls: &[i64]| rules.extend(calls.iter().map(|call| (*call, Vec::new())));
    never(NEVER);
    if !context.namespaces {
        never(SHARED);
        never(OWNERS);
        if context.landlock < 3 {
            never(&[libc::SYS_truncate]);
        }
        // Limits, priorities and processors of others. One's own are asked for by 0.
        for call in OF_PROCESSES {
            rules.insert(*call, vec![rule(&[argument(0, SeccompCmpOp::Ne, 0)?])?]);
        }
        for call in [libc::SYS_setpriority, libc::SYS_ioprio_set] {
            rules.insert(call, vec![rule(&[argument(1, SeccompCmpOp::Ne, 0)?])?]);
        }
    }
    sockets(&mut rules, context)?;
    namespaces(&mut rules)?;
    set_user_bits(&mut rules)?;
    if context.landlock < 3 && !context.namespaces {
        empty_by_opening(&mut rules)?;
    }
    let input =
        TERMINAL_INPUT.iter().map(|request| rule(&[argument(1, SeccompCmpOp::Eq, *request)?]));
    rules.insert(libc::SYS_ioctl, input.collect::<Result<_, _>>()?);
    Ok(rules)
}

fn sockets(rules: &mut SeccompRules, context: FilterContext) -> Result<(), SeccompError> {
    let mut kept = Vec::new();
    if context.local_sockets && context.namespaces {
        kept.push(libc::AF_UNIX);
    }
    if context.network && context.namespaces {
        kept.extend([libc::AF_INET, libc::AF_INET6]);
    } else if context.network {
        return one_port(rules);
    }
    let other = kept.iter().map(|family| argument(0, SeccompCmpOp::Ne, *family as u64));
    let other = other.collect::<Result<Vec<_>, _>>()?;
    let refused = if other.is_empty() { Vec::new() } else { vec![rule(&other)?] };
    rules.insert(libc::SYS_socket, refused);
    pairs(rules)
}

/// The most that a socket's kind takes in the argument that also has its flags.
const KINDS: u64 = 0xf;

/// Where Landlock holds to which port TCP connects: nothing but TCP, and none of the ways on which it does not look.
fn one_port(rules: &mut SeccompRules) -> Result<(), SeccompError> {
    let mut refused = vec![
        rule(&[argument(0, SeccompCmpOp::Ne, libc::AF_INET as u64)?])?,
        // MPTCP and others are streams, too, and Landlock does not know them.
        rule(&[
            argument(2, SeccompCmpOp::Ne, libc::IPPROTO_IP as u64)?,
            argument(2, SeccompCmpOp::Ne, libc::IPPROTO_TCP as u64)?,
        ])?,
    ];
    for kind in (0..=KINDS).filter(|kind| *kind != libc::SOCK_STREAM as u64) {
        refused.push(rule(&[argument(1, SeccompCmpOp::MaskedEq(KINDS), kind)?])?);
    }
    rules.insert(libc::SYS_socket, refused);
    // To listen without a bind takes any port that is free.
    rules.insert(libc::SYS_listen, Vec::new());
    // The first bytes may be sent with the connection itself, and Landlock does not check that.
    for (call, flags) in [(libc::SYS_sendto, 3), (libc::SYS_sendmsg, 2), (libc::SYS_sendmmsg, 3)] {
        rules.insert(call, vec![rule(&[has(flags, libc::MSG_FASTOPEN as u64)?])?]);
    }
    pairs(rules)
}

fn pairs(rules: &mut SeccompRules) -> Result<(), SeccompError> {
    // An end of a pair of datagrams (which `SOCK_RAW` makes, too) can be turned to any other socket with a name.
    let mut pairs = vec![rule(&[argument(0, SeccompCmpOp::Ne, libc::AF_UNIX as u64)?])?];
    for kind in [libc::SOCK_DGRAM, libc::SOCK_RAW] {
        pairs.push(rule(&[argument(1, SeccompCmpOp::MaskedEq(0xf), kind as u64)?])?);
    }
    rules.insert(libc::SYS_socketpair, pairs);
    Ok(())
}

fn namespaces(rules: &mut SeccompRules) -> Result<(), SeccompError> {
    let of = |flags: &[i32]| -> Result<Vec<SeccompRule>, SeccompError> {
        flags.iter().map(|flag| rule(&[has(0, *flag as u64)?])).collect()
    };
    // In the flags of `clone`, the bit of `CLONE_NEWTIME` belongs to the number of a signal.
    rules.insert(libc::SYS_clone, of(SPACES)?);
    rules.insert(libc::SYS_unshare, of(&[SPACES, &[CLONE_NEWTIME]].concat())?);
    Ok(())
}

/// Set-user-ID and set-group-ID programs: they run as their owner for any user, so they let others become this user, long after
/// the call.
fn set_user_bits(rules: &mut SeccompRules) -> Result<(), SeccompError> {
    const BITS: [u64; 2] = [libc::S_ISUID as u64, libc::S_ISGID as u64];
    let created = |flags: u8, mode: u8| -> Result<Vec<SeccompRule>, SeccompError> {
        // A file without a name is made as well, and can get one.
        let makes = [libc::O_CREAT as u64, (libc::O_TMPFILE & !libc::O_DIRECTORY) as u64];
        let with = |(made, bit)| rule(&[has(flags, made)?, has(mode, bit)?]);
        makes.into_iter().flat_map(|made| BITS.map(|bit| (made, bit))).map(with).collect()
    };
    let set = |mode: u8| -> Result<Vec<SeccompRule>, SeccompError> {
        BITS.into_iter().map(|bit| rule(&[has(mode, bit)?])).collect()
    };
    let known = [
        (libc::SYS_fchmod, set(1)?),
        (libc::SYS_fchmodat, set(2)?),
        (libc::SYS_fchmodat2, set(2)?),
    ];
    rules.extend(known);
    rules.insert(libc::SYS_mknodat, set(2)?);
    rules.insert(libc::SYS_openat, created(2, 3)?);
    #[cfg(target_arch = "x86_64")]
    rules.extend([
        (libc::SYS_chmod, set(1)?),
        (libc::SYS_creat, set(1)?),
        (libc::SYS_mknod, set(1)?),
        (libc::SYS_open, created(1, 2)?),
    ]);
    Ok(())
}

/// To open for reading alone and to empty by that: the second version of Landlock sees only the reading.
fn empty_by_opening(rules: &mut SeccompRules) -> Result<(), SeccompError> {
    let mask = (libc::O_ACCMODE | libc::O_TRUNC) as u64;
    let emptied = |flags: u8| -> Result<SeccompRule, SeccompError> {
        let op = SeccompCmpOp::MaskedEq(mask);
        rule(&[argument(flags, op, libc::O_TRUNC as u64)?])
    };
    rules.entry(libc::SYS_openat).or_default().push(emptied(2)?);
    #[cfg(target_arch = "x86_64")]
    rules.entry(libc::SYS_open).or_default().push(emptied(1)?);
    Ok(())
}

fn rule(conditions: &[SeccompCondition]) -> Result<SeccompRule, SeccompError> {
    Ok(SeccompRule::new(conditions.to_vec())?)
}

/// The kernel takes the low half of each of these arguments, and so must the filter.
fn argument(
    index: u8, operator: SeccompCmpOp, value: u64,
) -> Result<SeccompCondition, SeccompError> {
    Ok(SeccompCondition::new(index, SeccompCmpArgLen::Dword, operator, value)?)
}

fn has(index: u8, bits: u64) -> Result<SeccompCondition, SeccompError> {
    argument(index, SeccompCmpOp::MaskedEq(bits), bits)
}
