//! Files, held by Landlock: which may be read, and which may be changed.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, NetPort, PathBeneath,
    PathFd, RestrictionStatus, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr,
    RulesetStatus, Scope,
};

/// The access that a rule grants to a path and all below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathAccess {
    /// Its folders can be listed.
    List,
    /// It can be read and executed.
    Read,
    /// It can be changed, too.
    Write,
}

/// A version of Landlock, no newer than those that were looked at here.
fn version(abi: u8) -> ABI {
    match abi {
        0 => ABI::Unsupported,
        1 => ABI::V1,
        2 => ABI::V2,
        3 => ABI::V3,
        4 => ABI::V4,
        5 => ABI::V5,
        _ => ABI::V6,
    }
}

/// The access rights that this version does not hold by itself, by the kernel's own names.
pub(crate) fn lacking(abi: u8) -> Vec<&'static str> {
    [
        (2, "LANDLOCK_ACCESS_FS_REFER"),
        (3, "LANDLOCK_ACCESS_FS_TRUNCATE"),
        (4, "LANDLOCK_ACCESS_NET"),
        (5, "LANDLOCK_ACCESS_FS_IOCTL_DEV"),
        (6, "LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET"),
        (6, "LANDLOCK_SCOPE_SIGNAL"),
        (9, "LANDLOCK_ACCESS_FS_RESOLVE_UNIX"),
    ]
    .into_iter()
    .filter_map(|(since, name)| (abi < since).then_some(name))
    .collect()
}

/// Confines this process, and all that it starts, to these paths. A path that does not exist is left out.
///
/// With a port it may connect there by TCP, and neither to another port nor bind to any. Only from the fourth version on.
pub(crate) fn confine(
    abi: u8, rules: &[(PathBuf, PathAccess)], port: Option<u16>,
) -> Result<(), String> {
    let abi = version(abi);
    let failed = |error: &dyn std::fmt::Display| format!("Landlock refused: {error}");
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(abi))
        .map_err(|error| failed(&error))?;
    if !Scope::from_all(abi).is_empty() {
        ruleset = ruleset.scope(Scope::from_all(abi)).map_err(|error| failed(&error))?;
    }
    if port.is_some() {
        ruleset =
            ruleset.handle_access(AccessNet::from_all(abi)).map_err(|error| failed(&error))?;
    }
    let mut created = ruleset.create().map_err(|error| failed(&error))?;
    if let Some(port) = port {
        let rule = NetPort::new(port, AccessNet::ConnectTcp);
        created = created.add_rule(rule).map_err(|error| failed(&error))?;
    }
    for (path, access) in rules {
        created = add(created, abi, path, *access).map_err(|error| failed(&error))?;
    }
    let RestrictionStatus { ruleset, no_new_privs, .. } =
        created.restrict_self().map_err(|error| failed(&error))?;
    if ruleset != RulesetStatus::FullyEnforced || !no_new_privs {
        return Err(format!("Landlock holds only a part: {ruleset:?}"));
    }
    Ok(())
}

fn add(
    created: RulesetCreated, abi: ABI, path: &Path, access: PathAccess,
) -> Result<RulesetCreated, landlock::RulesetError> {
    let (Ok(place), Ok(about)) = (PathFd::new(path), std::fs::metadata(path)) else {
        return Ok(created);
    };
    let wanted: BitFlags<AccessFs> = match access {
        PathAccess::List => AccessFs::ReadDir.into(),
        PathAccess::Read => AccessFs::from_read(abi),
        PathAccess::Write => AccessFs::from_all(abi),
    };
    // The kernel refuses rights of folders for a file.
    let rights = if about.is_dir() { wanted } else { wanted & AccessFs::from_file(abi) };
    if rights.is_empty() { Ok(created) } else { created.add_rule(PathBeneath::new(place, rights)) }
}
