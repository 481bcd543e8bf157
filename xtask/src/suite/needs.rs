//! What a step can need beyond Rust and Node, and how it is recognised and installed.

use std::{fs, path::PathBuf};

use anyhow::{Context, Result};

use crate::process;

#[derive(Clone, Copy, Debug)]
pub(super) struct Need {
    pub(super) name: &'static str,
    /// It is there when one of these programs is on the search path …
    programs: &'static [&'static str],
    /// … or in a version's folder below this one.
    versions: Option<(&'static str, &'static str)>,
    /// What apt calls it.
    pub(super) packages: &'static [&'static str],
}

const ALL: [Need; 6] = [
    Need {
        name: "chromium",
        programs: &["chromium", "chromium-browser", "google-chrome"],
        versions: None,
        packages: &["chromium"],
    },
    Need { name: "curl", programs: &["curl"], versions: None, packages: &["curl"] },
    Need {
        name: "postgres",
        programs: &["postgres"],
        versions: Some(("/usr/lib/postgresql", "bin/postgres")),
        packages: &["postgresql"],
    },
    Need {
        name: "redis",
        programs: &["redis-server", "valkey-server"],
        versions: None,
        packages: &["redis-server"],
    },
    Need {
        name: "python",
        programs: &["python3"],
        versions: None,
        packages: &["python3", "python3-venv"],
    },
    Need {
        name: "valkey",
        programs: &["valkey-server"],
        versions: None,
        packages: &["valkey-server"],
    },
];

impl Need {
    /// The need of this name; an unknown one is a mistake in the step, not a reason to pass it over.
    pub(super) fn named(name: &str) -> Result<Self> {
        let known = || ALL.map(|need| need.name).join(", ");
        ALL.into_iter().find(|need| need.name == name).with_context(|| {
            format!(
                "`{name}` is not a known need; known are {}: add it to xtask/src/suite/needs.rs",
                known()
            )
        })
    }

    pub(super) fn is_there(self) -> bool {
        self.programs.iter().any(|program| process::on_path(program)) || self.in_a_versions_folder()
    }

    fn in_a_versions_folder(self) -> bool {
        let Some((folder, program)) = self.versions else { return false };
        let versions = fs::read_dir(PathBuf::from(folder)).into_iter().flatten().flatten();
        versions.map(|version| version.path().join(program)).any(|path| path.is_file())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_need_is_refused_with_the_known_ones() {
        let error = Need::named("oracle").unwrap_err().to_string();
        assert!(error.contains("chromium, curl, postgres, redis"), "{error}");
        assert_eq!(Need::named("redis").unwrap().packages, ["redis-server"]);
    }
}
