//! How paths are written: POSIX, and Windows.

use super::PathError;

/// The longest name that file systems take, in bytes.
pub(super) const LONGEST_NAME: usize = 255;

/// How paths are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathSyntax {
    Posix,
    Windows,
}

/// An absolute path in parts, not yet normalised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AbsolutePath {
    /// What precedes the first `/`: nothing on POSIX; `C:` or `//server/share` on Windows.
    pub(super) root: String,
    /// Names and `..`; no empty ones and no `.`.
    pub(super) names: Vec<String>,
}

impl AbsolutePath {
    /// With `rest` (which is relative) below it.
    pub(super) fn join(mut self, syntax: PathSyntax, rest: &str) -> Result<Self, PathError> {
        self.names.extend(syntax.names(rest)?);
        Ok(self)
    }

    /// Each `..` takes away the name before it.
    pub(super) fn normalised(&self) -> Self {
        let mut names: Vec<String> = Vec::with_capacity(self.names.len());
        for name in &self.names {
            if name == ".." {
                names.pop();
            } else {
                names.push(name.clone());
            }
        }
        Self { root: self.root.clone(), names }
    }

    pub(super) fn has_parents(&self) -> bool {
        self.names.iter().any(|name| name == "..")
    }

    pub(super) fn text(&self) -> String {
        let mut text = self.root.clone();
        for name in &self.names {
            text.push('/');
            text.push_str(name);
        }
        if self.names.is_empty() {
            text.push('/');
        }
        text
    }
}

impl PathSyntax {
    pub(super) const NATIVE: Self = if cfg!(windows) { Self::Windows } else { Self::Posix };

    pub(super) fn separates(self, c: char) -> bool {
        c == '/' || (self == Self::Windows && c == '\\')
    }

    /// The parts of an absolute path; `None` when it is relative. `cwd` tells the drive of `\dir`.
    pub(super) fn absolute(
        self, path: &str, cwd: Option<&AbsolutePath>,
    ) -> Result<Option<AbsolutePath>, PathError> {
        let (root, rest) = match self {
            Self::Posix if path.starts_with('/') => (String::new(), path),
            Self::Posix => return Ok(None),
            Self::Windows => match windows_root(path, cwd)? {
                Some(parts) => parts,
                None => return Ok(None),
            },
        };
        Ok(Some(AbsolutePath { root, names: self.names(rest)? }))
    }

    /// The names in a relative path, `..` among them.
    pub(super) fn names(self, path: &str) -> Result<Vec<String>, PathError> {
        let mut names = Vec::new();
        for name in path.split(|c| self.separates(c)) {
            if name.is_empty() || name == "." {
                continue;
            }
            if name.len() > LONGEST_NAME {
                return Err(PathError::TooLong);
            }
            names.push(match self {
                Self::Windows if name != ".." => windows_name(name)?.to_owned(),
                _ => name.to_owned(),
            });
        }
        Ok(names)
    }
}

/// The root of an absolute Windows path and what follows it.
fn windows_root<'a>(
    path: &'a str, cwd: Option<&AbsolutePath>,
) -> Result<Option<(String, &'a str)>, PathError> {
    let slash = |c: char| PathSyntax::Windows.separates(c);
    let path = match path.strip_prefix(r"\\?\") {
        Some(rest) if rest.get(..4).is_some_and(|unc| unc.eq_ignore_ascii_case(r"UNC\")) => {
            return share(rest.get(4..).unwrap_or_default()).map(Some);
        }
        Some(rest) => rest,
        None => path,
    };
    let mut chars = path.chars();
    match (chars.next(), chars.next(), chars.next()) {
        (Some(first), Some(second), third) if slash(first) && slash(second) => {
            if matches!(third, Some('.' | '?')) {
                return Err(PathError::Ambiguous("it names a device"));
            }
            share(path.get(2..).unwrap_or_default()).map(Some)
        }
        (Some(drive), Some(':'), third) if drive.is_ascii_alphabetic() => {
            if third.is_none_or(slash) && third.is_some() {
                let root = format!("{}:", drive.to_ascii_uppercase());
                Ok(Some((root, path.get(2..).unwrap_or_default())))
            } else {
                Err(PathError::Ambiguous("it is relative to the directory of a drive"))
            }
        }
        (Some(first), ..) if slash(first) => {
            let root = cwd.map(|cwd| cwd.root.clone());
            Ok(root.map(|root| (root, path)))
        }
        _ => Ok(None),
    }
}

/// `server\share\rest`.
fn share(path: &str) -> Result<(String, &str), PathError> {
    let slash = |c: char| PathSyntax::Windows.separates(c);
    let bad = PathError::Ambiguous("it names no share");
    let (server, rest) = path.split_once(slash).ok_or(bad.clone())?;
    let (share, rest) = rest.split_once(slash).unwrap_or((rest, ""));
    if server.is_empty() || share.is_empty() {
        return Err(bad);
    }
    Ok((format!("//{}/{}", server.to_lowercase(), share.to_lowercase()), rest))
}

/// The name that Windows takes a written one for.
fn windows_name(name: &str) -> Result<&str, PathError> {
    let kept = name.trim_end_matches(['.', ' ']);
    let stem = kept.split('.').next().unwrap_or_default().trim_end_matches(' ');
    if kept.is_empty() {
        return Err(PathError::Ambiguous("a name of dots and spaces"));
    }
    if name.contains(':') {
        return Err(PathError::Ambiguous("it names a stream of a file"));
    }
    if name.contains(['<', '>', '"', '|', '?', '*']) || name.chars().any(|c| c < ' ') {
        return Err(PathError::Ambiguous("it holds characters that names cannot have"));
    }
    if is_device(stem) {
        return Err(PathError::Ambiguous("it names a device"));
    }
    let short =
        kept.split('~').nth(1).is_some_and(|tail| tail.starts_with(|c: char| c.is_ascii_digit()));
    if short {
        return Err(PathError::Ambiguous("it may be the short name of another file"));
    }
    Ok(kept)
}

fn is_device(stem: &str) -> bool {
    let stem = stem.to_ascii_uppercase();
    let numbered = ["COM", "LPT"].iter().any(|device| {
        stem.strip_prefix(device).is_some_and(|number| {
            let mut chars = number.chars();
            matches!(chars.next(), Some('0'..='9' | '¹' | '²' | '³')) && chars.next().is_none()
        })
    });
    numbered || matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$")
}
